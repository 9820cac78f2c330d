#pragma once

#include "schedule/collective.hpp"
#include "simulate/fabric.hpp"

namespace espalier::plan::composed {

/// Of a scatter, gather, all-gather, reduce-scatter or total exchange; see collective_bound().
[[nodiscard]] Seconds block_bound(const simulate::Fabric& fabric,
                                  const schedule::Collective& collective, std::size_t ports);

}  // namespace espalier::plan::composed
