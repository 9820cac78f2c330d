#pragma once

#include "plan/grid/problem.hpp"

namespace espalier::plan::grid {

/// Fastest Edge First: always the edge of least weight from a cluster that holds the message to one
/// that waits, whenever its sender is ready; the weight is distances(problem) (steffenel-2006,
/// section 5.2; Bhat).
[[nodiscard]] Order fef(const Problem& problem);

/// How far clusters are from each other: the latency alone. Where the network knows no latency
/// apart from the transfer (all are 0, as in the pairwise model), the transfer time takes its
/// place.
[[nodiscard]] const Matrix<double>& distances(const Problem& problem);

}  // namespace espalier::plan::grid
