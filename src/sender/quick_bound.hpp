#pragma once

#include "sender/problem.hpp"

namespace espalier::sender {

/// A time that no schedule beats, in time that does not depend on the number of classes: as if all
/// nodes but the root were as fast as the fastest, and for a reduction no less than the slowest
/// sender takes. Sums of times are rounded down, so that it may be a hair below an optimum.
[[nodiscard]] double plain_bound(const Problem& problem);

/// A lower bound on the makespan. For a broadcast on one port, times rounded down to powers of two
/// of a common base make a cluster for which fastest first is optimal (liu-2002, Theorem 4.5 and
/// Lemma 4.8); the best of several bases counts.
[[nodiscard]] double quick_bound(const Problem& problem);

}  // namespace espalier::sender
