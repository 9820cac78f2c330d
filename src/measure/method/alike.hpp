#pragma once

#include "core/sparse_pairs.hpp"

#include <cstddef>
#include <vector>

namespace espalier::measure {

/// What a latency was found to be, and how far it is usually off, both in seconds. Not in double
/// precision, since a job's hosts have many.
struct Estimate {
    float latency = 0;
    float noise = 0;
};

/// Of those pairs of hosts of which something was found.
using Estimates = SparsePairs<Estimate>;

/// Which hosts are one cluster: of several, those two become one first whose hosts are nearest to
/// each other in the mean (average linkage), unless inside one of them, or to a third one that it
/// is no part of, it is nearer by more than `tolerance`, a factor, and by more than noise explains.
/// Clusters are ordered by their first host, hosts by number.
[[nodiscard]] std::vector<std::vector<std::size_t>> alike(Estimates estimates, double tolerance);

}  // namespace espalier::measure
