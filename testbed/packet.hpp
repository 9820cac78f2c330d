#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace espalier::testbed {

/// What a device says of a packet (struct virtio_net_hdr; its own header file is not C++), in the
/// machine's byte order.
struct OffloadHeader {
    std::uint8_t flags;
    std::uint8_t gso_type;  ///< 0: a packet of one frame
    std::uint16_t header_size;
    std::uint16_t gso_size;  ///< payload of each frame
    std::uint16_t checksum_start;
    std::uint16_t checksum_offset;
};

/// What a TUN device hands over at once: an offload header and one IP packet, which may be a TCP
/// segment of up to 64 KiB that a network card would cut into frames.
struct Packet {
    std::unique_ptr<std::byte[]> data;
    std::uint32_t size = 0;    ///< of data
    std::uint32_t frames = 1;  ///< that a card would make of it
    std::uint32_t wire = 0;    ///< bytes on the wire of all frames
    std::uint32_t frame = 0;   ///< bytes on the wire of its largest frame
};

inline constexpr std::size_t packet_header = sizeof(OffloadHeader);
inline constexpr std::size_t largest_packet = packet_header + 65536;

/// A copy of what was read. nullopt for what is not IPv4, or broken.
[[nodiscard]] std::optional<Packet> packet_of(std::span<const std::byte> bytes);

/// What a card would make of the packet, but with up to so many frames in each piece.
[[nodiscard]] std::vector<Packet> cut(Packet packet, std::uint32_t frames);

/// The IPv4 address that the packet is for, in the machine's byte order.
[[nodiscard]] std::uint32_t destination(const Packet& packet);

}  // namespace espalier::testbed
