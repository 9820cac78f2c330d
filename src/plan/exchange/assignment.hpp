#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::plan::exchange {

/// An edge between the two sides of a bipartite graph.
struct Edge {
    std::size_t left = 0;
    std::size_t right = 0;
    std::int64_t cost = 0;
};

/// Costs of edges have to be at most this, up or down, for the solver's sums to fit in 64 bits.
[[nodiscard]] constexpr std::int64_t greatest_edge_cost(std::size_t side) {
    return (std::int64_t{1} << 59) / static_cast<std::int64_t>(side);
}

/// The complete matching of least cost (the linear assignment problem) of a bipartite graph with
/// `side` nodes on each side; for each left node the index of its edge. `edges` are in ascending
/// order of their left nodes, and no two join the same nodes. Throws std::invalid_argument where
/// there is no complete matching. By the network simplex method of the LEMON library.
[[nodiscard]] std::vector<std::size_t> least_matching(std::size_t side,
                                                      const std::vector<Edge>& edges);

}  // namespace espalier::plan::exchange
