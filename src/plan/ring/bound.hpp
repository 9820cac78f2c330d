#pragma once

#include "plan/limits.hpp"
#include "plan/ring/problem.hpp"

#include <span>

namespace espalier::plan::ring {

/// What the step of no ring can beat, whatever its hosts, order, paths and bandwidths. `prices`
/// (indexed by link; of any sound or unsound origin, best those of a good ring's optimum) are where
/// the search for a good bound begins; it is sound with any. Every path may be taken, unless the
/// network lists its routes.
[[nodiscard]] double lower_bound(const Problem& problem, std::span<const double> prices,
                                 const Limits& limits);

}  // namespace espalier::plan::ring
