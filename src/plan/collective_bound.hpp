#pragma once

#include "schedule/collective.hpp"
#include "simulate/fabric.hpp"

namespace espalier::plan {

/// A time that no schedule for the collective beats, however data is cut, joined and passed on
/// (scope any), where each node takes part in `ports` sends, and in as many receives, at once.
/// Links whose cost is not known are taken as absent. docs/collectives.md derives it for each kind.
[[nodiscard]] Seconds collective_bound(const simulate::Fabric& fabric,
                                       const schedule::Collective& collective, std::size_t ports);

}  // namespace espalier::plan
