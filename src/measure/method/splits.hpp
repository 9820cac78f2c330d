#pragma once

#include "core/matrix.hpp"

#include <cstddef>
#include <vector>

namespace espalier::measure {

/// The ways in which the edges of a tree divide what it connects into two, where the paths between
/// its ends are as long as `distances` say, as nearly as may be: neighbour joining (Saitou and Nei,
/// 1987). Of each way one side, increasing, without the first element; for n elements there are
/// n - 3, since those that part one element from the others are left out.
[[nodiscard]] std::vector<std::vector<std::size_t>> splits_of_tree(const Matrix<double>& distances);

}  // namespace espalier::measure
