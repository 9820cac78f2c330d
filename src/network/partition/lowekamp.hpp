#pragma once

#include "network/partition.hpp"

#include <cstddef>
#include <vector>

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

struct Edge {
    double length;
    std::size_t a;
    std::size_t b;
};

/// The same of so many nodes, of which these pairs are known: equal labels for nodes of one subnet.
[[nodiscard]] std::vector<std::size_t> lowekamp(std::size_t nodes, std::vector<Edge> edges,
                                                double tolerance);

}  // namespace espalier::network
