#pragma once

#include "plan/gather/problem.hpp"

namespace espalier::plan::gather {

/// The ring whose slowest step is as fast as can be, and of those one that is short: of so few
/// nodes that the meter affords it by trying all, else by local search. It starts with like nodes
/// (hosts of a cluster, ranks of a host) side by side, in the order of the best ring between one of
/// each.
[[nodiscard]] Order by_slowest_step(const Problem& problem, Meter& meter);

/// The ring that is the shortest in all, whatever its slowest step: what a travelling salesman is
/// asked for.
[[nodiscard]] Order by_sum(const Problem& problem, Meter& meter);

/// The network's own order.
[[nodiscard]] Order in_rank_order(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::gather
