#pragma once

#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

namespace espalier::simulate {

/// Times a schedule: every transfer starts as early as its sender's data, the order of both ends
/// (of its sender alone, unless receives are serial), barriers and the capacities allow. Throws
/// InvalidError where the schedule can't proceed (a cycle of waiting), and InputError where it
/// wants messages received in a way that is not defined for its ports or the network's capacities.
[[nodiscard]] schedule::Timeline simulate(const schedule::Schedule& schedule, const Fabric& fabric);

/// Whether some capacity could hold transfers back. Where all that draw on it leave one port, or
/// enter one, one after the other, and none asks for more than all of it, none is slowed down, and
/// simulating takes a small part of the time.
[[nodiscard]] bool can_be_short(const schedule::Schedule& schedule, const Fabric& fabric);

}  // namespace espalier::simulate
