#pragma once

#include "core/random.hpp"
#include "network/network.hpp"

namespace espalier::test {

struct RandomGrid {
    bool nested = true;  ///< some clusters are grids themselves
    bool shared = true;  ///< some pairs share a stated capacity, others what one gets; else none
    bool caps = false;   ///< some clusters say what a node sends and receives in all
    bool known = false;  ///< insides are known by their broadcast times alone
};

/// Up to 6 clusters of up to 8 nodes, some with names; every cost drawn by itself, gaps not linear.
[[nodiscard]] network::GridNetwork random_grid(Random& random, const RandomGrid& shape);

struct RandomPairs {
    double most_startup = 1;  ///< seconds; at least none
    double least_bandwidth = 1;
    double most_bandwidth = 10;  ///< bytes per second
};

/// Start-up and bandwidth of each pair drawn by itself (those of a node with itself mean nothing);
/// nodes are `n0`, `n1`, ….
[[nodiscard]] network::PairwiseNetwork random_pairwise(Random& random, std::size_t nodes,
                                                       const RandomPairs& shape);

}  // namespace espalier::test
