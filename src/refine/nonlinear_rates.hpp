#pragma once

#include "ring/embedding.hpp"

#include <optional>

namespace espalier::refine {

/// The best bandwidths of a ring whose paths are given, by SUNDIALS' KINSOL, which solves
/// equations: here the optimality conditions of the convex program that ring::optimal_rates()
/// solves (legrand-2003, 4.3, Method 2). nullopt where it does not converge. A
/// ring::Refine.
[[nodiscard]] std::optional<ring::Rates> nonlinear_rates(const ring::Problem& problem,
                                                         const ring::Embedding& embedding,
                                                         const ring::Rates& start);

}  // namespace espalier::refine
