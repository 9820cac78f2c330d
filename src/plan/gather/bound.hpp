#pragma once

#include "plan/gather/problem.hpp"

namespace espalier::plan::gather {

/// No ring of all nodes has a faster slowest step: the steps up to it connect every node to every
/// other, also without any one of them, and leave each node one successor and one predecessor of
/// its own (a cover of the nodes by cycles). Of more nodes than the meter affords: each node's own
/// best only.
[[nodiscard]] double slowest_step_bound(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::gather
