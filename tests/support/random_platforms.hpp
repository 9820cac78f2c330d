#pragma once

#include "core/random.hpp"
#include "network/network.hpp"

#include <cstddef>

namespace espalier::test {

/// What a random physical network is drawn from.
struct PlatformRange {
    std::size_t hosts = 4;
    std::size_t routers = 2;
    std::size_t more_links = 4;  ///< than a tree has; some are parallel to others
    double directed = 0.1;       ///< share of those; the tree's are not
    double backbone = 0.1;       ///< share of all links
    double cycle_times = 10;     ///< the greatest over the least, which is 1 / sqrt of it
    double bandwidths = 10;      ///< likewise
    double latencies = 0;        ///< the greatest of links; of hosts' start-ups half of it
    bool whole = false;          ///< bandwidths and latencies are whole numbers, often equal
};

/// Few routers, up to so many more links, some of them directed, some backbones; every other one
/// without latencies, every fourth one of whole numbers.
[[nodiscard]] PlatformRange varied_range(Random& random, std::size_t hosts, std::size_t more_links,
                                         double latencies);

/// Connected. Hosts come first, named h0, h1, …
[[nodiscard]] network::LinksNetwork random_platform(Random& random, const PlatformRange& range);

}  // namespace espalier::test
