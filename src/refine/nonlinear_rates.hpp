#pragma once

#include "plan/ring/embedding.hpp"

#include <optional>

namespace espalier::refine {

/// The best bandwidths of a ring whose paths are given, by SUNDIALS' KINSOL, which solves
/// equations: here the optimality conditions of the convex program that plan::ring::optimal_rates()
/// solves (legrand-2003, 4.3, Method 2). nullopt where it does not converge. A
/// plan::ring::Refine.
[[nodiscard]] std::optional<plan::ring::Rates> nonlinear_rates(
    const plan::ring::Problem& problem, const plan::ring::Embedding& embedding,
    const plan::ring::Rates& start);

}  // namespace espalier::refine
