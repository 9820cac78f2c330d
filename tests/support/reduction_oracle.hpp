#pragma once

#include "plan/grid/problem.hpp"

namespace espalier::testing {

// Reductions between clusters by the port rules alone, knowing nothing of broadcasts. The costs are
// the network's own (not transposed): a send occupies its sender [start, start + g] and its
// receiver [start + L, start + L + g]; reducing inside occupies a coordinator for T_i.

/// The least makespan of all trees towards the root, all orders in which each coordinator receives,
/// and all places of its own inside among them. One port; at most five clusters or so.
[[nodiscard]] double least_reduction_of_all(const plan::grid::Problem& network);

/// The same over more than trees: a coordinator may send what it has and send again what it gets
/// later. Inside first; any number of ports; at most four clusters.
[[nodiscard]] double least_reduction_in_several_sends(const plan::grid::Problem& network);

}  // namespace espalier::testing
