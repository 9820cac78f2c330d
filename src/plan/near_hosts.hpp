#pragma once

#include "core/matrix.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan {

/// All nodes in an order in which near ones follow each other, cluster by cluster at every level:
/// as Kruskal's spanning tree of the distances grows, each edge of it puts the two rows that it
/// joins behind each other, turned so that their nearest ends meet. `far(i, j)` is how far i and j
/// are from each other, the same both ways.
[[nodiscard]] std::vector<std::size_t> near_order(const Matrix<double>& far);

}  // namespace espalier::plan
