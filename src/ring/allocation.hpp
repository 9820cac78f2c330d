#pragma once

#include "ring/embedding.hpp"

#include <vector>

namespace espalier::ring {

/// Max-min fair bandwidths: the least of them is as great as can be, then the next, and so on, by
/// progressive filling (legrand-2003, 4.3, Method 1).
[[nodiscard]] Rates max_min_rates(const Problem& problem, const Embedding& embedding);

/// The best bandwidths of a ring whose paths are given: the exact solution of a convex program.
struct Optimum {
    Rates rates;
    Division division;
    /// The price of each link's bandwidth at the optimum, >= 0, indexed by link: by how much less
    /// work fits into the step for each unit of bandwidth that is taken away.
    std::vector<double> prices;
};

/// Minimises T over the bandwidths and shares >= 0: sum of (T - c_i) / w_i >= W and T >= c_i, where
/// c_i is the time that host i communicates, which is convex in its bandwidths. A primal-dual
/// interior-point method; T is at most `tolerance` (relative) over the minimum. `start`, when
/// given, is taken as a first guess: a finite bandwidth > 0 for each path that crosses a link.
[[nodiscard]] Optimum optimal_rates(const Problem& problem, const Embedding& embedding,
                                    double tolerance = 1e-9, const Rates* start = nullptr);

}  // namespace espalier::ring
