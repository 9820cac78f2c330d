#pragma once

#include "plan/grid/searcher.hpp"

namespace espalier::plan::grid {

/// The best of a portfolio, any-time:
///   - the weighted rule (weighted.hpp) under 32 weights;
///   - and, until the meter is over or the lower bound is met: some clusters are taken out and put
///     back where they disturb least, at a falling temperature; and, among few clusters, all orders
///     that could be better are enumerated (exact.hpp), by the help of prices
///     (simulate/slot_prices.hpp).
/// Seeded: the same problem and the same work give the same order on every machine, unless time
/// cuts the search short. So two processes that need the same plan should not both search by the
/// clock: one does, and tells the other.
[[nodiscard]] Found search(const Problem& problem, Meter& meter);

/// The same, half of it for the proof: for up to 64 clusters all orders that could be better are
/// enumerated; beyond, an order is proven only where search and bound meet. Cut short, it returns
/// the best order and bound so far: the prices', or that of a deadline below which the enumeration
/// found nothing.
[[nodiscard]] Found optimal(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::grid
