#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// Candidates for a gather or a reduce-scatter, of a planner of scatters or all-gathers: those on
/// the transposed network, reversed in time (schedule::mirror). Where the operator needs an order,
/// those that keep it (schedule::find_violation). For a scatter or an all-gather those of the
/// planner as they are. None where blocks have to go direct and the planner `relays` them.
[[nodiscard]] std::vector<schedule::Schedule> as_asked(const Problem& problem, Meter& meter,
                                                       Planner planner, bool relays);

}  // namespace espalier::plan::composed
