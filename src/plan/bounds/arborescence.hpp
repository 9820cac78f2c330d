#pragma once

#include "core/matrix.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan::bounds {

/// The cheapest tree of links from `root` to all others (Chu and Liu; Edmonds), as each node's
/// parent; the root is its own. `cost(u, v)` >= 0, infinite where there is no link; the diagonal is
/// ignored. Empty where some node can't be reached. O(n^3).
[[nodiscard]] std::vector<std::size_t> cheapest_arborescence(const Matrix<double>& cost,
                                                             std::size_t root);

}  // namespace espalier::plan::bounds
