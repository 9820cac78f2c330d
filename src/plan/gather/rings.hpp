#pragma once

#include "plan/gather/planner.hpp"

namespace espalier::plan::gather {

/// The ring whose slowest step is as fast as can be, and of those one that is short. Of so few
/// nodes that the meter affords it proven by trying all; of few classes of like nodes (hosts of a
/// cluster, ranks of a host) by dynamic programming over walks between them; else, and where shared
/// capacities decide, by local search with kicks.
[[nodiscard]] Found by_slowest_step(const Problem& problem, Meter& meter);

/// The ring that is the shortest in all, whatever its slowest step: what a travelling salesman is
/// asked for.
[[nodiscard]] Found by_sum(const Problem& problem, Meter& meter);

/// The network's own order.
[[nodiscard]] Found in_rank_order(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::gather
