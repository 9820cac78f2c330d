#pragma once

#include "plan/grid/problem.hpp"

#include <string_view>

namespace espalier::test {

/// The greedy heuristics between clusters straight from the paper's formulas: every round looks at
/// every pair and computes everything anew. Of equal pairs, the least receiver, then the least
/// sender. `name` is one of the table's greedy ones.
[[nodiscard]] plan::grid::Order naive_order(std::string_view name,
                                            const plan::grid::Problem& problem);

/// The tree for a stream of segments by its definition: each step tries every edge and computes the
/// end of the pipeline anew. Of equal ends the earliest receipt, the least receiver, the sender
/// that joined first.
[[nodiscard]] plan::grid::Order naive_pipeline(const plan::grid::Problem& problem);

/// When the last cluster is done, by following each cluster back to the root: no state is shared
/// with the makespan under test.
[[nodiscard]] double naive_makespan(const plan::grid::Problem& problem,
                                    const plan::grid::Order& order);

/// The least makespan of all orders, by trying all of them: at most six clusters or so.
[[nodiscard]] double least_makespan_of_all(const plan::grid::Problem& problem);

/// The same by branch and bound: at most nine clusters or so.
[[nodiscard]] double least_makespan(const plan::grid::Problem& problem);

}  // namespace espalier::test
