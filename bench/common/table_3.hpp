#pragma once

#include "core/random.hpp"
#include "plan/grid/problem.hpp"

#include <cstddef>
#include <vector>

namespace espalier::bench {

/// A random problem between clusters with the parameters of steffenel-2006, Table 3, in seconds.
inline plan::grid::Problem draw_table_3(Random& random, std::size_t clusters) {
    plan::grid::Problem problem{.gap = Matrix<double>(clusters, clusters),
                                .latency = Matrix<double>(clusters, clusters),
                                .inner = std::vector<double>(clusters)};
    for (std::size_t i = 0; i < clusters; ++i) {
        problem.inner[i] = random.uniform(0.020, 3.000);
        for (std::size_t j = 0; j < clusters; ++j) {
            if (i == j) continue;
            problem.latency(i, j) = random.uniform(0.001, 0.015);
            problem.gap(i, j) = random.uniform(0.100, 0.600);
        }
    }
    return problem;
}

}  // namespace espalier::bench
