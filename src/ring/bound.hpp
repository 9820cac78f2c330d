#pragma once

#include "core/infinity.hpp"
#include "core/limits.hpp"
#include "ring/problem.hpp"

#include <span>

namespace espalier::ring {

/// A lower bound on the step time of any ring, whatever its hosts, order, paths and bandwidths, if
/// each path has its own bandwidth (schedule::RingSharing::reserved). The search for a good bound
/// begins with `prices` (indexed by link), best those of a good ring's optimum; the bound holds
/// with any. Every path may be taken, unless the network lists its routes. Deterministic if a limit
/// of work ends it, or none; ends early once it is `enough`, the step time of a known ring, which
/// it never exceeds.
[[nodiscard]] double lower_bound(const Problem& problem, std::span<const double> prices,
                                 const Limits& limits, double enough = infinity);

/// A lower bound on the step time of any ring if links are shared fairly
/// (schedule::RingSharing::fair) and messages take the problem's routes. It is one on the steady
/// state, as hosts are not in step there.
[[nodiscard]] double fair_lower_bound(const Problem& problem, const Limits& limits,
                                      double enough = infinity);

/// W / sum(1 / w): what any step takes even if messages took no time.
[[nodiscard]] double bound_without_exchange(const Problem& problem);

}  // namespace espalier::ring
