#include "network/partition.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "network/partition/closeness.hpp"
#include "network/partition/lowekamp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_map>

namespace espalier::network {

namespace {

bool is_isolated(const Metric& metric, std::size_t node) {
    for (std::size_t other = 0; other < metric.size(); ++other)
        if (other != node && metric.between(node, other)) return false;
    return true;
}

}  // namespace

PartitionMethod parse_partition_method(std::string_view text, const std::string& where) {
    if (text == "lowekamp") return PartitionMethod::lowekamp;
    if (text == "closeness") return PartitionMethod::closeness;
    throw InputError(where, "", fmt::format("'{}' is not a method: lowekamp or closeness", text));
}

Partition partition(const Metric& metric, double tolerance, PartitionMethod method) {
    if (!std::isfinite(tolerance) || tolerance < 0)
        throw InputError("tolerance", "", fmt::format("{} is not a finite number >= 0", tolerance));
    return method == PartitionMethod::lowekamp ? lowekamp(metric, tolerance)
                                               : closeness(metric, tolerance);
}

Matrix<std::optional<double>> cluster_distances(const Metric& metric, const Partition& partition) {
    const std::size_t count = partition.clusters.size();
    Matrix<std::optional<double>> distances(count, count);
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = a; b < count; ++b) {
            std::vector<double> pairs;
            for (const std::size_t i : partition.clusters[a])
                for (const std::size_t j : partition.clusters[b])
                    if (const auto distance = metric.between(i, j); distance && (a != b || i < j))
                        pairs.push_back(*distance);
            if (!pairs.empty()) distances(a, b) = distances(b, a) = median(pairs);
        }
    return distances;
}

Partition make_partition(const Metric& metric, double tolerance,
                         const std::vector<std::size_t>& label_of_node) {
    assert(label_of_node.size() == metric.size());
    Partition partition{tolerance, {}, {}};
    std::unordered_map<std::size_t, std::size_t> cluster_of_label;
    for (std::size_t node = 0; node < metric.size(); ++node) {
        const auto [place, is_new] =
            cluster_of_label.try_emplace(label_of_node[node], partition.clusters.size());
        if (is_new) partition.clusters.emplace_back();
        partition.clusters[place->second].push_back(node);
        if (is_isolated(metric, node)) partition.unplaced.push_back(node);
    }
    return partition;
}

}  // namespace espalier::network
