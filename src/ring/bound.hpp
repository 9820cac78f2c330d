#pragma once

#include "core/infinity.hpp"
#include "core/limits.hpp"
#include "ring/problem.hpp"

#include <span>

namespace espalier::ring {

/// What the step of no ring can beat, whatever its hosts, order, paths and bandwidths, where each
/// path has its own bandwidth (schedule::RingSharing::reserved). `prices` (indexed by link; of any
/// sound or unsound origin, best those of a good ring's optimum) are where the search for a good
/// bound begins; it is sound with any. Every path may be taken, unless the network lists its
/// routes. Deterministic if it is the limit of work that ends it, or none; ends early once it is
/// `enough`, the step of a known ring, which it never exceeds.
[[nodiscard]] double lower_bound(const Problem& problem, std::span<const double> prices,
                                 const Limits& limits,
                                 double enough = infinity);

/// The same where links are shared fairly (schedule::RingSharing::fair) and messages take the
/// problem's routes: of the steady state, as hosts are not in step there.
[[nodiscard]] double fair_lower_bound(const Problem& problem, const Limits& limits,
                                      double enough = infinity);

/// W / sum(1 / w): what any step takes even if messages took no time.
[[nodiscard]] double bound_without_exchange(const Problem& problem);

}  // namespace espalier::ring
