#pragma once

#include "plan/composed/halves.hpp"
#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// A broadcast, reduction or all-reduce of a message cut into segments that travel along several
/// trees, which avoid each other's ports and shared capacities; in an all-reduce each tree has a
/// centre of its own. With as many trees as a cluster has ranks, each rank is the centre of one:
/// a reduce-scatter and all-gather round a ring, or that inside each cluster and an all-reduce of
/// each part between the clusters.
[[nodiscard]] std::vector<schedule::Schedule> striped(const Problem& problem, Meter& meter);

/// The same for an all-reduce whose trees are in halves, each with an exchange of its own.
[[nodiscard]] std::vector<schedule::Schedule> striped_between(const Halves& halves,
                                                              const Problem& problem, Meter& meter);

}  // namespace espalier::plan::composed
