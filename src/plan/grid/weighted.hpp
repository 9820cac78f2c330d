#pragma once

#include "plan/grid/problem.hpp"

namespace espalier::plan::grid {

/// How much the inner broadcasts weigh in the choice of the next transfer.
struct Weights {
    double receiver = 0;  ///< a receiver with a long one is served sooner
    double sender = 0;    ///< a sender with a long one is spared
};
/// What is tried first, and where only one choice is made.
inline constexpr Weights usual_weights{0.1, 0.15};

/// Always the transfer from A to B of least RT_i + g + L - receiver T_j + sender T_i. Expected
/// O(n^2).
[[nodiscard]] Order weighted_order(const Problem& problem, const Weights& weights);

}  // namespace espalier::plan::grid
