#pragma once

#include "network/partition.hpp"

namespace espalier::network {

/// Lowekamp's greedy algorithm (steffenel-2006, Algorithm 1). Edges are taken from the shortest on;
/// one joins the subnets of its ends unless it is longer than 1 + tolerance times the shortest edge
/// at either end, or the shortest edge that built either subnet. A merged subnet's shortest edge is
/// that of both its parts (the printed line forgets one of them). A pair without a distance is no
/// edge.
///
/// At one length the order of edges does not matter: a subnet refuses them all or none, before and
/// after any of them joined it. So the result does not depend on how nodes are numbered.
/// O(n^2 + E log E), where E are the edges that pass the first test.
[[nodiscard]] Partition lowekamp(const Metric& metric, double tolerance);

}  // namespace espalier::network
