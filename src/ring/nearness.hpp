#pragma once

#include "core/matrix.hpp"
#include "ring/problem.hpp"

#include <vector>

namespace espalier::ring {

/// For each two hosts the time of a unit message along the problem's routes there and back, if each
/// link in turn had to be crossed before the next: counts what a path uses up, not only its
/// narrowest link. Symmetric. O(hosts^2 * length of paths).
[[nodiscard]] Matrix<double> distances(const Problem& problem);

/// All hosts in an order in which each is followed by the nearest one that is left, from the
/// fastest host on. On a tree, this goes through one branch after the other.
[[nodiscard]] std::vector<Host> tour_by_nearness(const Problem& problem,
                                                 const Matrix<double>& distances);

}  // namespace espalier::ring
