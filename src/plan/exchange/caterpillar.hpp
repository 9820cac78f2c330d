#pragma once

#include "plan/exchange/planner.hpp"

namespace espalier::plan::exchange {

/// Step j, from 1 on: each node i sends to node i + j (bhat-1998, 4.2). Every message starts as
/// soon as both its ends are ready; at most P/2 times the bound (Theorem 2).
[[nodiscard]] Found caterpillar(const Problem& problem, Meter& meter);
/// The same, and no step starts before the one before it is over everywhere.
[[nodiscard]] Found caterpillar_barrier(const Problem& problem, Meter& meter);

/// The caterpillar's order, but every node first sends what is longest on its way: where several
/// are sent at once, latencies pass while the others leave. What has a clearly shorter way, though
/// not to a neighbour, leaves once its receiver's own message has come, if that was sent at once:
/// until then what nodes share is left to what has to go far.
[[nodiscard]] Found far_first(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::exchange
