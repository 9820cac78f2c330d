#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// Candidates for a gather or a reduce-scatter: those for the scatter or all-gather on the network
/// turned round, read backwards (schedule::mirror). Where the operator needs an order, those that
/// keep it (schedule::find_violation).
[[nodiscard]] std::vector<schedule::Schedule> mirrored(const Problem& problem, Planner planner);

}  // namespace espalier::plan::composed
