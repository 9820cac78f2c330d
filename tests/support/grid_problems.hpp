#pragma once

#include "core/random.hpp"
#include "plan/grid/problem.hpp"

#include <cstddef>

namespace espalier::test {

struct Range {
    double low = 0;
    double high = 1;
};

/// Ranges of what a random problem between clusters is made of, in seconds; as printed in
/// steffenel-2006, Table 3.
struct GridRanges {
    Range latency{0.001, 0.015};
    Range gap{0.1, 0.6};
    Range inner{0.02, 3.0};
    std::size_t ports = 1;  ///< at most: as many or fewer
};

/// Every ordered pair and every cluster drawn by itself, uniformly; any root.
[[nodiscard]] plan::grid::Problem random_problem(Random& random, std::size_t clusters,
                                                 const GridRanges& ranges = {});

/// Whole numbers from 1 to `values`: full of ties, and free of rounding.
[[nodiscard]] plan::grid::Problem random_problem_with_ties(Random& random, std::size_t clusters,
                                                           std::size_t values,
                                                           std::size_t ports = 1);

}  // namespace espalier::test
