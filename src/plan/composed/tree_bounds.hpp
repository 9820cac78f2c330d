#pragma once

#include "schedule/collective.hpp"
#include "simulate/fabric.hpp"

namespace espalier::plan::composed {

/// Of a broadcast, reduction, all-reduce, barrier or scan; see collective_bound().
[[nodiscard]] Seconds tree_bound(const simulate::Fabric& fabric,
                                 const schedule::Collective& collective, std::size_t ports);

}  // namespace espalier::plan::composed
