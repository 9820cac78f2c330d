#pragma once

#include "core/meter.hpp"
#include "plan/gather/problem.hpp"

namespace espalier::plan::gather {

/// What a planner hands out.
struct Found {
    Order order;
    /// No ring of all nodes has a faster slowest step; 0 where the planner did not ask.
    double slowest_bound = 0;
};

/// Whoever searches spends from the meter, and stops when it is over.
using Planner = Found (*)(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::gather
