#pragma once

#include "measure/channel.hpp"
#include "measure/method/fit.hpp"

namespace espalier::measure {

/// By what factor messages follow each other more slowly on a link while as many come in the
/// opposite direction: at least 1, at most 2; 1 on a noisy clock. A node that passes on what it
/// receives sends at this pace. `costs` are those of the link in one direction. Takes about `time`
/// seconds at most. The peer has to be in `answer_both_ways` meanwhile.
[[nodiscard]] double slowdown_both_ways(const Channel& channel, int peer, const LinkCosts& costs,
                                        double time);

void answer_both_ways(const Channel& channel, int peer);

}  // namespace espalier::measure
