#pragma once

#include "core/matrix.hpp"

#include <cstddef>
#include <vector>

namespace espalier::measure {

/// The hosts and clusters of a job's ranks, as far as they are known by now; the same on all ranks.
struct JobMap {
    std::vector<std::size_t> host_of_rank;
    std::vector<std::vector<int>> ranks_of_host;
    std::vector<std::vector<std::size_t>> clusters;  ///< of hosts
    Matrix<double> round_trips;  ///< usual ones between clusters, or inside; seconds

    /// The rank that measures on behalf of its host.
    [[nodiscard]] int first_rank(std::size_t host) const { return ranks_of_host[host].front(); }
    /// The rank that measures on behalf of its cluster.
    [[nodiscard]] int coordinator(std::size_t cluster) const {
        return first_rank(clusters[cluster].front());
    }
};

}  // namespace espalier::measure
