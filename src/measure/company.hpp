#pragma once

#include "measure/channel.hpp"

#include <vector>

namespace espalier::measure {

/// What each message takes of processors that all hosts share, in seconds, on rank 0; 0 where each
/// has its own, and elsewhere. All members of all groups, ranks of different hosts that are near
/// each other, exchange short messages at once, and before that two of them do: hosts of their own
/// take no longer together. `round_trip` is that of the slowest group, in seconds; for more than
/// about `seconds` nobody goes on. Collective.
[[nodiscard]] double time_in_company(const Channel& channel,
                                     const std::vector<std::vector<int>>& groups, double round_trip,
                                     double seconds);

}  // namespace espalier::measure
