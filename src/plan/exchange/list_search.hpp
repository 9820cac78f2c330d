#pragma once

#include "plan/exchange/planner.hpp"

namespace espalier::plan::exchange {

/// Any-time search: list scheduling by longest remaining work, again and again with random
/// preferences, half of them near the best ones so far (after facts of open shops: bhat-1998, 4.5,
/// of which open_shop() is a start). Ends at the bound, at a limit, or when it has found nothing
/// better for as long as it took to find the best, and at least some tenths of a second. The same
/// on every machine unless time ends it.
[[nodiscard]] Found list_search(const Problem& problem, const Limits& limits);

}  // namespace espalier::plan::exchange
