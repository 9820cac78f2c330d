#pragma once

#include "core/random.hpp"
#include "measure/method/bottlenecks.hpp"
#include "measure/method/sharing_plan.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace espalier::measure::test {

/// Hosts in clusters in sites, and capacities that streams between them share, fairly or not. A
/// method that measures sees only what streams get.
struct HiddenNetwork {
    struct Capacity {
        std::string name;
        double limit = 0;
        std::function<bool(std::size_t from_cluster, std::size_t to_cluster)> covers;
    };
    std::vector<std::vector<std::size_t>> hosts;  ///< of each cluster
    std::vector<std::vector<std::size_t>> sites;  ///< of clusters
    std::vector<std::size_t> cluster_of;          ///< of each host
    std::vector<std::size_t> site_of;             ///< of each cluster
    Matrix<double> round_trips;                   ///< between clusters, seconds
    double port = 50e6;                           ///< of each host, in and out
    Matrix<double> stream_limit;                  ///< between clusters; infinite where none
    std::vector<Capacity> capacities;

    /// `sizes` of the clusters of each site. Sites are 10 ms apart, clusters of one 0.2 ms.
    explicit HiddenNetwork(const std::vector<std::vector<std::size_t>>& sizes);
    /// The same hosts, and only their ports as a limit.
    [[nodiscard]] HiddenNetwork without_limits() const;

    void add_path_out(std::size_t site, double limit);
    void add_path_in(std::size_t site, double limit);
    void add_half_duplex(std::size_t site, double limit);
    void add_pair(std::size_t from_site, std::size_t to_site, double limit);

    struct Flow {
        std::size_t from = 0;  ///< hosts
        std::size_t to = 0;
        double weight = 1;
    };
    /// What flows get: progressive filling, in proportion to their weights.
    [[nodiscard]] std::vector<double> rates(const std::vector<Flow>& flows) const;

    [[nodiscard]] Surroundings surroundings() const;
    /// What all hosts together can move between these clusters.
    [[nodiscard]] double most(const Bottleneck& bottleneck) const;
};

/// Measures a hidden network with streams that share in inverse proportion to their round trips,
/// more or less, and rates that are off by up to `noise`. Returns how long it took.
double measure_hidden(const HiddenNetwork& network, SharingPlan& plan, Random& random,
                      double noise);

}  // namespace espalier::measure::test
