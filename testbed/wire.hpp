#pragma once

#include "core/units.hpp"

#include <cstdint>

namespace espalier::testbed {

/// What a full TCP segment is on the wire: 1500 bytes of IP and 38 of Ethernet (preamble, header,
/// checksum, gap between frames), of which 1448 are the program's (IP and TCP headers, time
/// stamps).
inline constexpr std::uint64_t ethernet_overhead = 38;
inline constexpr std::uint64_t full_frame = 1500 + ethernet_overhead;
inline constexpr std::uint64_t full_payload = 1448;

/// What one program gets of a link that counts bytes on the wire.
constexpr BytesPerSecond goodput(BytesPerSecond wire) {
    return wire * (static_cast<double>(full_payload) / static_cast<double>(full_frame));
}
/// What a link has to carry on the wire, so that a program gets `useful`.
constexpr BytesPerSecond on_the_wire(BytesPerSecond useful) {
    return useful * (static_cast<double>(full_frame) / static_cast<double>(full_payload));
}

}  // namespace espalier::testbed
