#pragma once

#include "core/matrix.hpp"

#include <cstddef>
#include <vector>

namespace espalier::measure {

/// The groups that remain connected (single linkage) where only pairs at a latency of at most
/// `farthest` count. `latencies` one way, in seconds.
[[nodiscard]] std::vector<std::vector<std::size_t>> groups_within(const Matrix<double>& latencies,
                                                                  double farthest);

/// Clusters that are so much nearer to each other than to the others that they may have one path
/// out: joined nearest first (single linkage) up to where the next distance is several times the
/// last. Each cluster by itself where distances grow evenly. `latencies` are those between clusters
/// one way, in seconds. A guess only, by which to order what is measured.
[[nodiscard]] std::vector<std::vector<std::size_t>> guess_sites(const Matrix<double>& latencies);

}  // namespace espalier::measure
