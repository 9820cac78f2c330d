#pragma once

#include "measure/channel.hpp"

#include <vector>

namespace espalier::measure {

/// The time, in seconds, that each message takes of processors that all hosts share; 0 if each host
/// has its own. Known on rank 0, elsewhere 0. First two members exchange short messages, then all
/// members of all groups (ranks of different hosts that are near each other) at once; hosts with
/// processors of their own take no longer together. `round_trip` is that of the slowest group, in
/// seconds; after more than about `seconds` nobody goes on. Collective.
[[nodiscard]] double time_in_company(const Channel& channel,
                                     const std::vector<std::vector<int>>& groups, double round_trip,
                                     double seconds);

}  // namespace espalier::measure
