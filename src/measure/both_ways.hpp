#pragma once

#include "measure/channel.hpp"
#include "measure/method/fit.hpp"

namespace espalier::measure {

/// How many times longer messages follow each other on a link when as many come the other way: at
/// least 1, at most 2. A node that passes on what it receives sends at this pace. Takes about
/// `time` seconds at the most; `costs` are the link's, one way. The peer has to be in
/// `answer_both_ways` meanwhile. On a noisy clock it is 1.
[[nodiscard]] double slowdown_both_ways(const Channel& channel, int peer, const LinkCosts& costs,
                                        double time);

void answer_both_ways(const Channel& channel, int peer);

}  // namespace espalier::measure
