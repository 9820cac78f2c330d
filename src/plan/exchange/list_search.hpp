#pragma once

#include "plan/exchange/planner.hpp"

namespace espalier::plan::exchange {

/// Any-time search: list scheduling by longest remaining work, again and again with random
/// preferences, most of them near the best ones so far. Ends at the bound, when the meter is over,
/// or when nothing better has come for as long as it took to find the best, and for as many passes
/// as there are messages. The same on every machine unless time ends it. Messages
/// that only queue for ports, and so few that the meter affords it, then change their places one
/// by one, as long as that helps.
[[nodiscard]] Found list_search(const Problem& problem, Meter& meter);

/// The list scheduling of it alone.
[[nodiscard]] Order search_lists(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::exchange
