#pragma once

#include "plan/exchange/problem.hpp"

namespace espalier::plan::exchange {

/// Seconds that no exchange of whole messages straight to their receivers can beat: what a node has
/// to send, or to receive, takes its ports that long (bhat-1998, 4.1), and what crosses a shared
/// capacity, or a node's cap, takes that; each with the least latency of those messages; and no
/// message is faster than alone. It holds however messages are received.
[[nodiscard]] double exchange_bound(const Problem& problem);

}  // namespace espalier::plan::exchange
