#pragma once

#include "core/matrix.hpp"
#include "core/units.hpp"
#include "network/latency_csv.hpp"
#include "network/network.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::network {

/// The distance of each node from each other: lower is nearer, in any one unit, and only ratios
/// count. Row i, column j is from i to j; empty if it is not known; the diagonal is not looked at.
struct Metric {
    std::vector<std::string> names;
    Matrix<std::optional<double>> distance;

    [[nodiscard]] std::size_t size() const { return names.size(); }
    /// The distance of a pair, whichever way: the larger of its two directions, for a pair is near
    /// only if both are; the one that is known, where only one is. Unlike a mean, it is the same
    /// pair and the same order of pairs whether one speaks of a bandwidth or of its reciprocal.
    [[nodiscard]] std::optional<double> between(std::size_t a, std::size_t b) const;
};

/// latency: seconds. bandwidth: seconds per byte, its reciprocal. hops: links on the way.
enum class MetricKind { latency, bandwidth, hops };

/// `latency`, `bandwidth` or `hops`; throws InputError that names `where`.
[[nodiscard]] MetricKind parse_metric_kind(std::string_view text, const std::string& where);

/// The metric of a table whose cells are of this kind: latencies in `unit`, bandwidths in any one
/// unit, or hops.
[[nodiscard]] Metric to_metric(const PairTable& table, MetricKind kind,
                               TimeUnit unit = TimeUnit::us);

/// The metric of a network. `pairwise`: between its nodes, by start-up or bandwidth. `grid`:
/// between the nodes of all its clusters, by L or by g(bytes)/bytes; a cluster whose inside is not
/// known as pLogP can't be split, and is one entry with the cluster's name. `links`: between its
/// hosts, by the latency, bandwidth or number of links of the shortest paths. Throws InputError
/// naming `source` where the model does not say (`sender` says nothing of pairs, and hops are known
/// in `links` alone).
[[nodiscard]] Metric to_metric(const Network& network, MetricKind kind,
                               Bytes bytes = Bytes(1 << 20), const std::string& source = "network");

}  // namespace espalier::network
