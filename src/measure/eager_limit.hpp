#pragma once

#include "measure/channel.hpp"

#include <cstdint>

namespace espalier::measure {

/// The longest message, in bytes, that leaves before its receiver asks for it. It is one of those
/// at which limits usually are: a power of two from 1 KiB to 4 MiB, or somewhat less, for a header;
/// 0 where all wait. `receiver` is elsewhere while each of some lengths is sent, and only then
/// takes it, in answer_eager_limit(). `round_trip` between the two in seconds, the same for
/// both.
[[nodiscard]] std::uint64_t find_eager_limit(const Channel& channel, int receiver,
                                             double round_trip);
void answer_eager_limit(const Channel& channel, int sender, double round_trip);
/// What that takes, in seconds, at most.
[[nodiscard]] double eager_limit_time(double round_trip);

}  // namespace espalier::measure
