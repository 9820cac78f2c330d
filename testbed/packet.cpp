#include "testbed/packet.hpp"

#include "testbed/wire.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace espalier::testbed {

namespace {

constexpr std::size_t shortest_ip = 20;
/// A frame on the wire is at least 64 bytes, and 20 of preamble and gap.
constexpr std::uint32_t least_frame = 84;

template <typename T>
T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <typename T>
void store(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
}

constexpr std::byte fin_and_psh{0x09};
constexpr std::byte cwr{0x80};

/// Where the headers of a TCP packet in IPv4 are.
struct Headers {
    std::uint32_t ip;     ///< bytes
    std::uint32_t total;  ///< bytes of IP and TCP
};

/// nullopt where they don't fit into what there is.
std::optional<Headers> headers_of(std::span<const std::byte> ip) {
    const auto ip_size = 4U * std::to_integer<std::uint32_t>(ip[0] & std::byte{15});
    if (ip_size < shortest_ip || ip.size() < ip_size + shortest_ip) return std::nullopt;
    const auto tcp_size = 4U * std::to_integer<std::uint32_t>(ip[ip_size + 12] >> 4);
    if (tcp_size < shortest_ip || ip.size() <= ip_size + tcp_size) return std::nullopt;
    return Headers{ip_size, ip_size + tcp_size};
}

/// The Internet checksum's sum (RFC 1071) in 16 bits, not inverted.
std::uint16_t folded(std::uint32_t sum) {
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
}

void set_ip_checksum(std::byte* ip, std::uint32_t size) {
    store<std::uint16_t>(ip + 10, 0);
    std::uint32_t sum = 0;
    for (std::uint32_t at = 0; at < size; at += 2) sum += load<std::uint16_t>(ip + at);
    store<std::uint16_t>(ip + 10, static_cast<std::uint16_t>(~folded(sum)));
}

std::uint32_t on_wire(std::uint32_t ip_bytes) {
    return std::max(ip_bytes + static_cast<std::uint32_t>(ethernet_overhead), least_frame);
}

}  // namespace

std::optional<Packet> packet_of(std::span<const std::byte> bytes) {
    if (bytes.size() < packet_header + shortest_ip) return std::nullopt;
    const std::byte* const ip = bytes.data() + packet_header;
    if ((ip[0] >> 4) != std::byte{4}) return std::nullopt;

    Packet packet;
    packet.size = static_cast<std::uint32_t>(bytes.size());
    const auto header = load<OffloadHeader>(bytes.data());
    const auto ip_bytes = static_cast<std::uint32_t>(bytes.size() - packet_header);
    packet.wire = packet.frame = on_wire(ip_bytes);
    if (header.gso_type != 0 && header.gso_size > 0) {
        // header_size is only a hint: the headers' own lengths count.
        const auto found = headers_of(bytes.subspan(packet_header));
        if (!found) return std::nullopt;
        const std::uint32_t headers = found->total;
        const std::uint32_t payload = ip_bytes - headers;
        packet.frames = (payload + header.gso_size - 1) / header.gso_size;
        const std::uint32_t last = payload - (packet.frames - 1) * header.gso_size;
        packet.frame = on_wire(headers + std::min<std::uint32_t>(payload, header.gso_size));
        packet.wire = (packet.frames - 1) * packet.frame + on_wire(headers + last);
    }
    packet.data = std::make_unique_for_overwrite<std::byte[]>(bytes.size());
    std::memcpy(packet.data.get(), bytes.data(), bytes.size());
    return packet;
}

namespace {

/// `size` bytes of payload from `at` on, with headers of their own.
Packet piece_of(const Packet& whole, const Headers& headers, std::uint32_t at, std::uint32_t size,
                bool last) {
    const std::size_t all_headers = packet_header + headers.total;
    std::vector<std::byte> bytes(all_headers + size);
    std::memcpy(bytes.data(), whole.data.get(), all_headers);
    std::memcpy(bytes.data() + all_headers, whole.data.get() + all_headers + at, size);

    auto offload = load<OffloadHeader>(bytes.data());
    const auto number = static_cast<std::uint16_t>(at / offload.gso_size);
    if (size <= offload.gso_size) offload.gso_type = 0, offload.gso_size = 0;
    store(bytes.data(), offload);

    std::byte* const ip = bytes.data() + packet_header;
    const auto old_size = ntohs(load<std::uint16_t>(ip + 2));
    const auto new_size = static_cast<std::uint16_t>(headers.total + size);
    store(ip + 2, htons(new_size));
    store(ip + 4, htons(static_cast<std::uint16_t>(ntohs(load<std::uint16_t>(ip + 4)) + number)));
    set_ip_checksum(ip, headers.ip);

    std::byte* const tcp = ip + headers.ip;
    store(tcp + 4, htonl(ntohl(load<std::uint32_t>(tcp + 4)) + at));
    if (!last) tcp[13] &= ~fin_and_psh;
    if (at > 0) tcp[13] &= ~cwr;
    // What is there is the sum of the pseudo-header, whose last part is the length.
    const std::uint32_t sum = ntohs(load<std::uint16_t>(tcp + 16));
    const std::uint32_t shorter = 0xffffU - static_cast<std::uint32_t>(old_size - new_size);
    store(tcp + 16, htons(folded(sum + shorter)));

    auto piece = packet_of(bytes);
    assert(piece);
    return std::move(*piece);
}

}  // namespace

std::vector<Packet> cut(Packet packet, std::uint32_t frames) {
    std::vector<Packet> pieces;
    if (packet.frames <= frames) {
        pieces.push_back(std::move(packet));
        return pieces;
    }
    const auto offload = load<OffloadHeader>(packet.data.get());
    const auto headers =
        headers_of(std::span(packet.data.get(), packet.size).subspan(packet_header));
    assert(headers);
    const auto payload = static_cast<std::uint32_t>(packet.size - packet_header) - headers->total;
    const std::uint32_t step = frames * offload.gso_size;
    for (std::uint32_t at = 0; at < payload; at += step) {
        const std::uint32_t size = std::min(step, payload - at);
        pieces.push_back(piece_of(packet, *headers, at, size, at + size == payload));
    }
    return pieces;
}

std::uint32_t destination(const Packet& packet) {
    return ntohl(load<std::uint32_t>(packet.data.get() + packet_header + 16));
}

}  // namespace espalier::testbed
