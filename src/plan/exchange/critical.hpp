#pragma once

#include "plan/exchange/planner.hpp"

namespace espalier::plan::exchange {

/// The critical node's messages without a break (bhat-1998, 6.4), and the others in the room that
/// those leave, such that all is over early, too. Without a critical node, as an open shop.
[[nodiscard]] Found critical_first(const Problem& problem, const Limits& limits);

}  // namespace espalier::plan::exchange
