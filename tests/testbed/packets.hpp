#pragma once

#include <arpa/inet.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace espalier::testbed {

inline constexpr std::size_t tcp_header = 32;  // with time stamps
inline constexpr std::size_t tcp_headers = 20 + tcp_header;

template <typename T>
void put_at(std::vector<std::byte>& bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}
template <typename T>
T get_at(const std::byte* bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes + at, sizeof value);
    return value;
}

/// The sum of RFC 1071 over so many bytes, in the order of the wire; not inverted.
inline std::uint16_t internet_sum(const std::byte* bytes, std::size_t size, std::uint32_t sum = 0) {
    for (std::size_t i = 0; i < size; ++i) {
        const auto value = std::to_integer<std::uint32_t>(bytes[i]);
        sum += i % 2 == 0 ? value << 8 : value;
    }
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
}

/// What TCP's checksum has to begin with (RFC 793): addresses, protocol and length.
inline std::uint16_t pseudo_header_sum(const std::byte* ip, std::size_t tcp_size) {
    return internet_sum(ip + 12, 8, static_cast<std::uint32_t>(6 + tcp_size));
}

/// What a TUN device hands over for a TCP segment to 10.77.0.2 with this payload, which is to be
/// cut into frames of 1448 bytes of it; `flags` are TCP's.
inline std::vector<std::byte> tcp_packet(std::size_t payload, std::byte flags = std::byte{0x18}) {
    constexpr std::size_t offload = 10;
    std::vector<std::byte> bytes(offload + tcp_headers + payload);
    bytes[0] = std::byte{1};  // the checksum is left to us
    bytes[1] = payload > 1448 ? std::byte{1} : std::byte{0};
    put_at<std::uint16_t>(bytes, 2, tcp_headers);
    put_at<std::uint16_t>(bytes, 4, payload > 1448 ? 1448 : 0);
    put_at<std::uint16_t>(bytes, 6, 20);
    put_at<std::uint16_t>(bytes, 8, 16);

    std::byte* const ip = bytes.data() + offload;
    ip[0] = std::byte{0x45};
    put_at(bytes, offload + 2, htons(static_cast<std::uint16_t>(tcp_headers + payload)));
    put_at(bytes, offload + 4, htons(0xfffe));
    ip[8] = std::byte{64};
    ip[9] = std::byte{6};
    put_at(bytes, offload + 12, htonl(0x0a4d0001));
    put_at(bytes, offload + 16, htonl(0x0a4d0002));
    put_at(bytes, offload + 10, htons(static_cast<std::uint16_t>(~internet_sum(ip, 20))));
    put_at(bytes, offload + 20 + 4, htonl(0xfffffff0));
    ip[20 + 12] = std::byte{tcp_header / 4 << 4};
    ip[20 + 13] = flags;
    put_at(bytes, offload + 20 + 16, htons(pseudo_header_sum(ip, tcp_header + payload)));
    for (std::size_t i = 0; i < payload; ++i)
        bytes[offload + tcp_headers + i] = static_cast<std::byte>(i * 7 + i / 251);
    return bytes;
}

}  // namespace espalier::testbed
