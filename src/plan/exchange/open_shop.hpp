#pragma once

#include "plan/exchange/planner.hpp"

namespace espalier::plan::exchange {

/// The sender that is free first sends to whichever of its receivers is free first (bhat-1998,
/// 4.5). O(P^3) for P nodes; at most twice the bound (Theorem 3).
[[nodiscard]] Found open_shop(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::exchange
