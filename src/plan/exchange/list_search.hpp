#pragma once

#include "core/meter.hpp"
#include "plan/exchange/planner.hpp"

#include <cstdint>

namespace espalier::plan::exchange {

/// Any-time search: list scheduling by longest remaining work, again and again with random
/// preferences, most of them near the best ones so far. Ends at the bound, at a limit, or when it
/// has found nothing better for as long as it took to find the best, and at least some tenths of a
/// second. The same on every machine unless time ends it. Of up to 6 nodes' messages that only
/// queue for ports, single ones then change their places, as long as that helps.
[[nodiscard]] Found list_search(const Problem& problem, const Limits& limits);

/// The list scheduling of it alone, which gives up after `patience` steps without success.
[[nodiscard]] Order search_lists(const Problem& problem, Meter& meter, std::uint64_t patience);

}  // namespace espalier::plan::exchange
