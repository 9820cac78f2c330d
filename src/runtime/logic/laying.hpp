#pragma once

#include "network/grid_view.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::runtime {

/// What goes from one vertex of a graph to another.
struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    double weight = 1;  ///< how much, beside other edges
};

/// Where vertices were laid.
struct Laid {
    std::vector<std::size_t> ranks;  ///< of each vertex, the rank that it becomes
    std::string gain;                ///< what is predicted of it, for the log
    bool is_as_given = true;         ///< each vertex is the rank of its number
};

/// Lays as many vertices as there are ranks at `places`, so that what goes along all edges at once,
/// of short and of long messages, is there first. The same for the same question. Never throws:
/// where nothing better is found, or a cost is not known, all stay as they are.
[[nodiscard]] Laid lay(const network::GridView& view,
                       const std::vector<network::GridView::Place>& places,
                       const std::vector<Edge>& edges);

/// The edges of a grid of these sides between vertices that are neighbours in a dimension, row by
/// row as MPI numbers them; `wraps`: dimensions at whose ends the first follows the last.
[[nodiscard]] std::vector<Edge> edges_of_grid(const std::vector<int>& sides,
                                              const std::vector<int>& wraps);

}  // namespace espalier::runtime
