#pragma once

#include "plan/exchange/planner.hpp"

namespace espalier::plan::exchange {

/// Step j, from 1 on: each node i sends to node i + j (bhat-1998, 4.2). Every message starts as
/// soon as both its ends are ready; at most P/2 times the bound (Theorem 2).
[[nodiscard]] Found caterpillar(const Problem& problem, Meter& meter);
/// The same, and no step starts before the one before it is over everywhere.
[[nodiscard]] Found caterpillar_barrier(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::exchange
