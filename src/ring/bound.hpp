#pragma once

#include "core/infinity.hpp"
#include "core/limits.hpp"
#include "ring/problem.hpp"
#include "schedule/ring.hpp"

namespace espalier::ring {

/// A lower bound on the step time of any ring, whatever its hosts and their order. Where each path
/// has its own bandwidth (reserved), it is one for all bandwidths and paths, unless the network
/// lists its routes. Where links are shared fairly, messages take the problem's routes, and it is
/// one on the steady state, as hosts are not in step there. Deterministic if a limit of work ends
/// it, or none; ends early once it is `enough`, the step time of a known ring, which it never
/// exceeds.
[[nodiscard]] double lower_bound(const Problem& problem, schedule::RingSharing sharing,
                                 const Limits& limits, double enough = infinity);

/// W / sum(1 / w): what any step takes even if messages took no time.
[[nodiscard]] double bound_without_exchange(const Problem& problem);

}  // namespace espalier::ring
