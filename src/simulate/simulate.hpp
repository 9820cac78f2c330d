#pragma once

#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

namespace espalier::simulate {

/// Times a schedule: every transfer starts as early as its sender's data, the order of both ends
/// and the capacities allow. Throws InvalidError where the schedule can't proceed (a cycle of
/// waiting).
[[nodiscard]] schedule::Timeline simulate(const schedule::Schedule& schedule, const Fabric& fabric);

}  // namespace espalier::simulate
