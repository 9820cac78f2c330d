#pragma once

#include "core/matrix.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::measure {

/// Latencies between hosts, in seconds, empty where a pair was not measured. Symmetric: a round
/// trip does not tell its directions apart.
using LatencyMatrix = Matrix<std::optional<double>>;

/// The hosts divided by Lowekamp's algorithm, as far as latencies are known: clusters ordered by
/// their first host.
[[nodiscard]] std::vector<std::vector<std::size_t>> partition_hosts(const LatencyMatrix& latencies,
                                                                    double tolerance);

/// Finds clusters when there is no time for every pair. At first (`level` 0) every host speaks for
/// itself; later all hosts are partitioned by what is known so far, and the first of each cluster
/// speaks for it, or all of a cluster that has as near hosts outside as inside. Those that speak
/// are divided into groups, inside each of which all pairs shall be measured next, all groups at a
/// time: one group if `rounds` of disjoint pairs are enough for it, otherwise groups small enough
/// to leave half the rounds to the next levels. As known pairs of a cluster's other hosts count in
/// the partition, a host that was put with a far one, for want of a near one in its group, gets
/// away when the far one turns out to have nearer ones; then it speaks for itself. Empty when all
/// pairs of those that speak are known, or there is no time.
[[nodiscard]] std::vector<std::vector<std::size_t>> groups_to_measure(
    const LatencyMatrix& latencies, double tolerance, std::size_t rounds, std::size_t level);

/// The number of unordered pairs that are not known.
[[nodiscard]] std::size_t unknown_pairs(const LatencyMatrix& latencies);

}  // namespace espalier::measure
