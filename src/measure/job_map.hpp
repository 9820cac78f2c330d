#pragma once

#include "core/matrix.hpp"

#include <algorithm>
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
    [[nodiscard]] std::size_t cluster_of(std::size_t host) const {
        const auto cluster = std::ranges::find_if(clusters, [&](const auto& hosts) {
            return std::ranges::find(hosts, host) != hosts.end();
        });
        return static_cast<std::size_t>(cluster - clusters.begin());
    }
    /// How much sooner this rank hears what rank 0 tells all than those farthest from it, seconds.
    [[nodiscard]] double hears_sooner(int rank) const {
        const auto cluster_of_rank = [&](int of) {
            return cluster_of(host_of_rank[static_cast<std::size_t>(of)]);
        };
        const std::size_t first = cluster_of_rank(0);
        double longest = 0;
        for (std::size_t c = 0; c < clusters.size(); ++c)
            longest = std::max(longest, round_trips(first, c));
        return (longest - round_trips(first, cluster_of_rank(rank))) / 2;
    }
};

}  // namespace espalier::measure
