#pragma once

#include "core/sparse_pairs.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::measure {

/// Latencies between hosts, in seconds, of the pairs that were measured: halves of round trips,
/// which do not tell their directions apart.
using LatencyMatrix = SparsePairs<double>;

/// The usual latency between the hosts of one cluster and those of another, or of the same one, in
/// seconds, as far as it is known: on a noisy clock what most disturbances leave alone, since they
/// only add.
[[nodiscard]] std::optional<double> usual_latency(const LatencyMatrix& latencies,
                                                  const std::vector<std::size_t>& from,
                                                  const std::vector<std::size_t>& to, bool noisy);

/// The groups of hosts inside each of which all pairs are to be measured next, all groups at the
/// same time: finds clusters when there is no time to measure every pair. Empty when all pairs of
/// representatives are known, or when no rounds are left.
///
/// At `level` 0 every host represents itself. At later levels each of the clusters that hosts form
/// by the latencies known so far is represented by its first host, or by all its hosts
/// if some host outside is as near as those inside. The representatives form one group if `rounds`
/// rounds of disjoint pairs are enough for it; otherwise they are divided into groups small enough
/// to leave half of the rounds to the next levels. A host that was put into a cluster with a far
/// one, because its group held no near one, leaves it at a later level: the far host then has
/// nearer ones.
[[nodiscard]] std::vector<std::vector<std::size_t>> groups_to_measure(
    const std::vector<std::vector<std::size_t>>& clusters, const LatencyMatrix& latencies,
    double tolerance, std::size_t rounds, std::size_t level);

/// The number of unordered pairs that are not known.
[[nodiscard]] std::size_t unknown_pairs(const LatencyMatrix& latencies);

}  // namespace espalier::measure
