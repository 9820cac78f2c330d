#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// Algorithms that are the same idea for several collectives.

/// Each block straight from whoever has it to whoever wants it.
[[nodiscard]] std::vector<schedule::Schedule> direct(const Problem& problem, Meter& meter);
/// What goes from cluster to cluster, or from host to host, goes together.
[[nodiscard]] std::vector<schedule::Schedule> by_levels(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::composed
