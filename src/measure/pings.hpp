#pragma once

#include "measure/channel.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace espalier::measure {

/// Pings each of `peers`, all at the same time, `times` times, and answers their pings; each of
/// them calls it, too. `round_trip(t, k)` is set to how long the answer of peers[k] to the t-th
/// ping took, in seconds; the first ping may have had to connect first. The next ping to a peer
/// leaves when its answer to the last one is there, so that near ones are done with soon.
void ping_at_once(const Channel& channel, const std::vector<int>& peers, std::size_t times,
                  const std::function<double&(std::size_t, std::size_t)>& round_trip);

}  // namespace espalier::measure
