#pragma once

#include "network/network.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace espalier::network {

/// The paths of messages on a platform that stands for a graph.
enum class HamiltonPaths {
    /// Any path, through other hosts too: the platform of legrand-2003, section 3, as printed. Then
    /// a step may be as short as the bound without a Hamiltonian cycle (docs/ring.md has the
    /// smallest example).
    free,
    /// Paths are listed routes, each of the one link that leads from host to host.
    direct,
    /// Any path; but each host can take in and send out no more than its own messages need.
    guarded,
};

/// An instance of SharedRing that is as hard as finding a Hamiltonian cycle.
struct HamiltonPlatform {
    LinksNetwork network;
    double work = 1;      ///< W
    double exchange = 1;  ///< H
    /// K = 1 + 2 epsilon: unless paths are free, some ring's step is as short as this if and only
    /// if the graph has a Hamiltonian cycle; otherwise it is longer than K + epsilon / vertices.
    double bound = 0;
};

/// The reduction of legrand-2003, section 3: one host v0, v1, … for each vertex of an undirected
/// graph, with cycle time `vertices`, and a directed link from each to each other, of bandwidth
/// 1 / epsilon where the graph has an edge and 1/2 where it has none. Throws InputError on fewer
/// than two vertices, an edge that is a loop, listed twice or without a vertex, or an epsilon that
/// is not between 0 and 1/2.
[[nodiscard]] HamiltonPlatform hamilton_platform(
    std::size_t vertices, const std::vector<std::pair<std::size_t, std::size_t>>& edges,
    double epsilon, HamiltonPaths paths);

}  // namespace espalier::network
