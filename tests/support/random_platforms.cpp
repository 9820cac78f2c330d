#include "support/random_platforms.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace espalier::test {
namespace {

/// Evenly on a logarithmic scale around 1.
double spread(Random& random, double ratio) {
    return std::exp(random.uniform(-0.5, 0.5) * std::log(ratio));
}

}  // namespace

PlatformRange varied_range(Random& random, std::size_t hosts, std::size_t more_links,
                           double latencies) {
    PlatformRange range;
    range.hosts = hosts;
    range.routers = random.below(5);
    range.more_links = random.below(more_links);
    range.directed = 0.3;
    range.backbone = 0.2;
    range.latencies = random.below(2) == 0 ? 0 : latencies;
    range.whole = random.below(4) == 0;
    return range;
}

network::LinksNetwork random_platform(Random& random, const PlatformRange& range) {
    using Links = network::LinksNetwork;
    Links network;
    for (std::size_t i = 0; i < range.hosts; ++i)
        network.nodes.push_back({"h" + std::to_string(i), spread(random, range.cycle_times),
                                 random.uniform(0, range.latencies / 2)});
    for (std::size_t i = 0; i < range.routers; ++i)
        network.nodes.push_back({"r" + std::to_string(i), {}, 0});

    const auto add = [&](std::size_t from, std::size_t to, Links::Kind kind) {
        double bandwidth = spread(random, range.bandwidths);
        double latency = random.uniform(0, range.latencies);
        if (range.whole) {
            bandwidth = 1 + static_cast<double>(random.below(4));
            latency = static_cast<double>(random.below(3));
        }
        if (random.uniform() < range.backbone) kind = Links::Kind::backbone;
        network.links.push_back({"l" + std::to_string(network.links.size()), Links::Ends{from, to},
                                 BytesPerSecond{bandwidth}, Seconds{latency}, kind});
    };
    // Routers form the core of a tree: each vertex hangs below one that is a router, if there are.
    const std::size_t vertices = network.nodes.size();
    const std::size_t root = range.routers > 0 ? range.hosts : 0;
    for (std::size_t k = 1; k < vertices; ++k) {
        const std::size_t vertex = (root + k) % vertices;
        const std::size_t before = range.routers > 0 ? std::min(k, range.routers) : k;
        add(vertex, (root + random.below(before)) % vertices, Links::Kind::bidirectional);
    }
    for (std::size_t k = 0; k < range.more_links; ++k) {
        const std::size_t from = random.below(vertices);
        const std::size_t to = (from + 1 + random.below(vertices - 1)) % vertices;
        add(from, to,
            random.uniform() < range.directed ? Links::Kind::directed : Links::Kind::bidirectional);
    }
    return network;
}

}  // namespace espalier::test
