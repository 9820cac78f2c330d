#pragma once

#include "ring/platform.hpp"

#include <span>

namespace espalier::ring {

/// A path of greatest bottleneck from one host to another, with what is left of each link's
/// bandwidth (`left`, indexed by link); among those of least latency, then fewest links, then
/// lowest numbers. Backbone links count in full. A listed route is taken as it is.
/// An independent oracle of what planners find by PathSearch.
[[nodiscard]] Path widest_path(const Platform& platform, std::span<const double> left, Host from,
                               Host to);

}  // namespace espalier::ring
