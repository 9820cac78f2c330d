#include "testbed/packet.hpp"

#include "testbed/wire.hpp"

#include <arpa/inet.h>

#include <algorithm>
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
        // The header_size is only a hint: the headers' own lengths count.
        const auto ip_header = 4U * std::to_integer<std::uint32_t>(ip[0] & std::byte{15});
        if (ip_bytes < ip_header + shortest_ip) return std::nullopt;
        const auto tcp_header = 4U * std::to_integer<std::uint32_t>(ip[ip_header + 12] >> 4);
        const std::uint32_t headers = ip_header + tcp_header;
        if (ip_bytes <= headers) return std::nullopt;
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

std::uint32_t destination(const Packet& packet) {
    return ntohl(load<std::uint32_t>(packet.data.get() + packet_header + 16));
}

}  // namespace espalier::testbed
