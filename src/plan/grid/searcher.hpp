#pragma once

#include "core/meter.hpp"
#include "plan/grid/problem.hpp"

namespace espalier::plan::grid {

/// What a search between clusters hands out.
struct Found {
    Order order;
    /// No order has a smaller makespan (whole messages, along one tree), in seconds.
    double lower_bound = 0;
    bool optimal = false;  ///< proven: the order's makespan is the least, but for rounding (1e-12)
};

/// A planner between clusters that makes its order at once.
using Rule = Order (*)(const Problem& problem);

/// A planner between clusters that looks until the meter is over; it always has an order.
using Searcher = Found (*)(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::grid
