#pragma once

#include "core/sparse_pairs.hpp"
#include "measure/method/sampling.hpp"

#include <cstddef>
#include <vector>

namespace espalier::measure {

/// The round trips of each meeting of each pair of hosts, in seconds.
using Meetings = SparsePairs<std::vector<double>>;

/// Which of `hosts` are one cluster by how they met: by the least of their times, or by those that
/// most disturbances leave alone; of many the least is an extreme, that of some pairs luckier than
/// that of others, and in company that lasts all but the least are disturbed. Differences that the
/// meetings in `groups` show to be usual do not tell hosts apart. A pair that never met is as far
/// apart as `latencies` says.
[[nodiscard]] std::vector<std::vector<std::size_t>> alike(
    const std::vector<std::size_t>& hosts, const std::vector<std::vector<std::size_t>>& groups,
    const LatencyMatrix& latencies, const Meetings& meetings, double tolerance);

/// The finest division of which both are finer ones. `a` may leave out some of what `b` divides.
[[nodiscard]] std::vector<std::vector<std::size_t>> joined(
    const std::vector<std::vector<std::size_t>>& a, std::vector<std::vector<std::size_t>> b);

}  // namespace espalier::measure
