#pragma once

#include "core/random.hpp"
#include "core/units.hpp"
#include "network/latency_csv.hpp"
#include "network/network.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::network {

/// A range from which times are drawn uniformly.
struct SecondsRange {
    Seconds low;
    Seconds high;
};

/// The ranges from which random_grid draws: those of steffenel-2006, Table 3.
struct RandomGridOptions {
    std::size_t clusters = 8;
    std::size_t nodes_per_cluster = 16;
    SecondsRange latency{Seconds(1e-3), Seconds(15e-3)};
    SecondsRange gap{Seconds(0.1), Seconds(0.6)};
    SecondsRange broadcast{Seconds(0.02), Seconds(3)};
    /// Whether one draw counts for both directions of a pair; otherwise each direction has its own.
    bool symmetric = false;
};

/// A grid of clusters c0, c1, … with an own broadcast time, and a latency and a gap (for any size)
/// for each ordered pair; all drawn evenly and on their own. One seed gives one grid: L and g of
/// each pair are drawn row by row, then each cluster's T. Throws InputError on no cluster, no node,
/// or a range that is not 0 <= low <= high.
[[nodiscard]] GridNetwork random_grid(const RandomGridOptions& options, Random& random);

/// The ranges from which random_senders draws.
struct RandomSenderOptions {
    std::size_t nodes = 16;
    /// Classes c0, c1, … of like nodes; each has at least one. 0: every node has a time of its own,
    /// and is listed as n0, n1, …
    std::size_t classes = 3;
    double least = 1;  ///< time to send one message; > 0
    double most = 10;
    bool integer = false;  ///< whole times; those of classes differ
};

/// Random nodes that differ in their sending times, drawn uniformly from the range; each node that
/// is not the first of its class joins any class with equal probability. In order of time. Throws
/// InputError on no node, more classes than nodes, a range that is not 0 < least <= most, or too
/// few whole numbers in it for all classes.
[[nodiscard]] SenderNetwork random_senders(const RandomSenderOptions& options, Random& random);

/// The table between machines that a table between clusters stands for: sizes[k] machines of
/// cluster k, named `name-0`, `name-1`, …; the diagonal of `clusters` is between two machines of
/// one cluster, and the diagonal of the result is empty. Each unordered pair of machines is scaled,
/// in both directions, by its own factor drawn evenly from [1 - noise, 1 + noise); what the table
/// does not know stays unknown. Throws InputError unless there is one size >= 1 a cluster and 0 <=
/// noise < 1.
[[nodiscard]] PairTable expand_latencies(const PairTable& clusters,
                                         const std::vector<std::size_t>& sizes, double noise,
                                         std::uint64_t seed);

}  // namespace espalier::network
