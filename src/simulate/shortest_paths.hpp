#pragma once

#include "core/infinity.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace espalier::simulate {

/// The length of the shortest path from `root` to every node (Dijkstra on a dense graph, O(n^2));
/// `weight(u, v)` >= 0. `before`, if given: the last node but one of each path; `nodes` where there
/// is none.
template <typename Weight>
[[nodiscard]] std::vector<double> shortest_paths(std::size_t nodes, std::size_t root, Weight weight,
                                                 std::vector<std::size_t>* before = nullptr) {
    if (before != nullptr) before->assign(nodes, nodes);
    std::vector<double> distance(nodes, infinity);
    std::vector<char> settled(nodes, 0);
    distance[root] = 0;
    for (std::size_t step = 0; step < nodes; ++step) {
        std::size_t nearest = nodes;
        for (std::size_t v = 0; v < nodes; ++v)
            if (settled[v] == 0 && (nearest == nodes || distance[v] < distance[nearest]))
                nearest = v;
        settled[nearest] = 1;
        for (std::size_t v = 0; v < nodes; ++v) {
            if (settled[v] != 0) continue;
            const double found = distance[nearest] + weight(nearest, v);
            if (!(found < distance[v])) continue;
            distance[v] = found;
            if (before != nullptr) (*before)[v] = nearest;
        }
    }
    return distance;
}

}  // namespace espalier::simulate
