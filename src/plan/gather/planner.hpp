#pragma once

#include "core/limits.hpp"
#include "plan/gather/problem.hpp"

namespace espalier::plan::gather {

/// What a planner hands out.
struct Found {
    Order order;
    /// No ring of all nodes has a faster slowest step; 0 where the planner did not ask.
    double slowest_bound = 0;
};

using Planner = Found (*)(const Problem& problem, const Limits& limits);

}  // namespace espalier::plan::gather
