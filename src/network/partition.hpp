#pragma once

#include "core/matrix.hpp"
#include "network/partition/metric.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::network {

/// Clusters of like nodes: every node of a metric is in exactly one. Members increase, and clusters
/// are ordered by their first member.
struct Partition {
    double tolerance = 0;
    std::vector<std::vector<std::size_t>> clusters;
    /// Nodes to and from which nothing was measured: each is a cluster of one, for want of
    /// knowledge.
    std::vector<std::size_t> unplaced;
};

enum class PartitionMethod { lowekamp, closeness };

/// `lowekamp` or `closeness`; throws InputError that names `where`.
[[nodiscard]] PartitionMethod parse_partition_method(std::string_view text,
                                                     const std::string& where);

/// Divides the nodes by one of the methods. `tolerance` is relative: 0.2 lets distances of one
/// cluster differ by 20%. Throws InputError unless it is finite and >= 0.
[[nodiscard]] Partition partition(const Metric& metric, double tolerance,
                                  PartitionMethod method = PartitionMethod::lowekamp);

/// The median distance between each two clusters, whichever way, and inside each on the diagonal;
/// empty where no pair is known.
[[nodiscard]] Matrix<std::optional<double>> cluster_distances(const Metric& metric,
                                                              const Partition& partition);

/// The partition that puts together the nodes with equal labels: what all methods end with.
[[nodiscard]] Partition make_partition(const Metric& metric, double tolerance,
                                       const std::vector<std::size_t>& label_of_node);

/// Whether `distance` is at most 1 + tolerance times `reference`. The last bits do not count, so
/// that a metric has the same clusters in every unit.
[[nodiscard]] inline bool within_tolerance(double distance, double reference, double tolerance) {
    return distance <= (1 + tolerance) * reference * (1 + 1e-12);
}

}  // namespace espalier::network
