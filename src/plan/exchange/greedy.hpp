#pragma once

#include "plan/exchange/planner.hpp"

namespace espalier::plan::exchange {

/// Steps in which each sender in turn takes the longest of its messages whose receiver nobody has
/// taken in that step (bhat-1998, 4.4). Who found none is first in the next step; where all found
/// one, the last is. No step waits for the one before it. O(P^3) for P nodes.
[[nodiscard]] Found greedy(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::exchange
