#pragma once

#include "core/limits.hpp"
#include "plan/grid/problem.hpp"

namespace espalier::plan::grid {

/// What a search between clusters hands out.
struct Found {
    Order order;
    /// No order has a smaller makespan (whole messages, along one tree), in seconds.
    double lower_bound = 0;
    bool optimal = false;  ///< proven: the order's makespan is the least, but for rounding (1e-12)
};

/// A planner between clusters that looks for as long as it may: it keeps to `limits`, and always
/// has an order.
using Searcher = Found (*)(const Problem& problem, const Limits& limits);

}  // namespace espalier::plan::grid
