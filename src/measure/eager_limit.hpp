#pragma once

#include "measure/channel.hpp"

#include <cstdint>
#include <optional>

namespace espalier::measure {

/// The two ranks that send to each other, and the time in seconds that a message and its answer
/// take.
struct Pair {
    int sender = 0;
    int receiver = 0;
    double round_trip = 0;
};

/// The eager threshold: the longest message, in bytes, that leaves at once, on rank 0; nullopt
/// elsewhere, and where finding out may take more than `seconds`. It is one of those at which
/// limits usually are: a power of two from 1 KiB to 4 MiB, or somewhat less, for a header; 0 where
/// all wait. The receiver is elsewhere while each of some lengths is sent, and only then takes it.
/// Collective; the same pair for all.
[[nodiscard]] std::optional<std::uint64_t> find_eager_limit(const Channel& channel,
                                                            const Pair& pair, double seconds);

}  // namespace espalier::measure
