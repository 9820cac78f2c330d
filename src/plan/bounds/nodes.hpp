#pragma once

#include "core/meter.hpp"
#include "plan/bounds/demand.hpp"
#include "plan/bounds/links.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan::bounds {

/// The first byte of something along the shortest path, in seconds: from as many nodes as the meter
/// lasts for, but one at least.
[[nodiscard]] double farthest_path(const Matrix<Link>& links, const Demand& demand,
                                   const std::vector<double>& after, Meter& meter);

/// The busiest node's ports: all that it has for others leaves it, and all that others have for it
/// enters it, over the best of its links.
[[nodiscard]] double busiest_ports(const Matrix<Link>& links, const Demand& demand,
                                   std::size_t ports);

}  // namespace espalier::plan::bounds
