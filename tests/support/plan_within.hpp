#pragma once

#include "core/meter.hpp"

namespace espalier::test {

/// What a planner makes of a problem on a budget.
template <typename Planner, typename Problem>
[[nodiscard]] auto plan_within(const Limits& budget, Planner planner, const Problem& problem) {
    Meter meter(budget);
    return planner(problem, meter);
}

}  // namespace espalier::test
