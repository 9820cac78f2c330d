#pragma once

#include "plan/grid/problem.hpp"

namespace espalier::plan::grid {

/// The root sends to every other cluster, in the order of the clusters, beginning with the one
/// after the root and going round (steffenel-2006, section 5.1; MagPIe, ECO).
[[nodiscard]] Order flat(const Problem& problem);

}  // namespace espalier::plan::grid
