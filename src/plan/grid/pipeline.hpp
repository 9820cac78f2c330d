#pragma once

#include "plan/grid/problem.hpp"

namespace espalier::plan::grid {

/// A tree for a message of many segments: in every step the edge that keeps the predicted end
/// least. A pipeline ends when its first segment has gone all the way and the others have followed,
/// one every period; the period of a cluster is the greatest time that it or one above it spends on
/// sending one segment to all its children and into itself. For one segment this is close to ECEF.
[[nodiscard]] Order pipeline(const Problem& problem);

}  // namespace espalier::plan::grid
