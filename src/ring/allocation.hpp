#pragma once

#include "ring/embedding.hpp"

#include <array>
#include <span>
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
/// c_i is the time that host i communicates, which is convex in its bandwidths. T is at most
/// `tolerance` (relative) over the minimum. `start`, when given, is taken as a first guess: a
/// finite bandwidth > 0 for each path that crosses a link.
[[nodiscard]] Optimum optimal_rates(const Problem& problem, const Embedding& embedding,
                                    double tolerance = 1e-9, const Rates* start = nullptr);

/// A number for each of four paths.
using FourRates = std::array<double, 4>;

/// Divides what is left of the links among the four paths that a host brings into a ring, when some
/// of them share links (legrand-2003, 4.2): the bandwidths r that minimise Equation 4, which is the
/// sum of weight / r over the paths. `left` (indexed by link) >= 0 is what each link has for the
/// four together; a backbone gives each that much. `weights` > 0: 1 / cycle time of each path's
/// sender. All bandwidths are 0 where some path's would be; that of an empty path is infinite.
[[nodiscard]] FourRates four_rates(const Platform& platform, std::span<const double> left,
                                   const std::array<const Path*, 4>& paths,
                                   const FourRates& weights);

}  // namespace espalier::ring
