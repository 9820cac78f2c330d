#pragma once

#include "plan/grid/searcher.hpp"

namespace espalier::plan::grid {

/// Branch and bound with proof: a search, prices for the bound (simulate/slot_prices.hpp), then the
/// enumeration of all orders that could be better (exact.hpp), for up to 64 clusters; beyond, it is
/// proven only where search and bound meet. Cut short, it returns the best order and bound so far:
/// the prices', or that of a deadline below which the enumeration found nothing.
[[nodiscard]] Found optimal(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::grid
