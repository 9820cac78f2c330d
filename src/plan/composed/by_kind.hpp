#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// Candidates for a gather or a reduce-scatter, of a planner of scatters or all-gathers: those on
/// the transposed network, reversed in time (schedule::mirror). Where the operator needs an order,
/// those that keep it (schedule::find_violation). For a scatter or an all-gather those of the
/// planner as they are. None where blocks have to go direct and the planner `relays` them.
[[nodiscard]] std::vector<schedule::Schedule> as_asked(const Problem& problem, Meter& meter,
                                                       Planner planner, bool relays = true);
/// The same as a planner of its own.
template <Planner planner>
[[nodiscard]] std::vector<schedule::Schedule> mirrored(const Problem& problem, Meter& meter) {
    return as_asked(problem, meter, planner);
}

/// Each block straight from whoever has it to whoever wants it.
[[nodiscard]] std::vector<schedule::Schedule> direct(const Problem& problem, Meter& meter);
/// What goes from cluster to cluster, or from host to host, goes together.
[[nodiscard]] std::vector<schedule::Schedule> by_levels(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::composed
