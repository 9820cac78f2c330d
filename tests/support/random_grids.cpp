#include "support/random_grids.hpp"

#include <string>

namespace espalier::test {

namespace {

using network::Cluster;
using network::CostTable;
using network::GridNetwork;
using network::PLogP;

PLogP random_link(Random& random, double scale) {
    double time = scale * random.uniform(0.01, 0.1);
    std::vector<CostTable::Entry> gap{{Bytes(1), Seconds(time)}};
    for (std::uint64_t size = 1024; size <= (1U << 21U); size *= 8)
        gap.push_back({Bytes(size), Seconds(time += scale * random.uniform(0, 1))});
    return {CostTable(Seconds(scale * random.uniform(0, 0.5))), CostTable(gap)};
}

GridNetwork make(Random& random, const RandomGrid& shape, const std::string& prefix, double scale) {
    GridNetwork grid;
    RandomGrid inner_shape = shape;
    inner_shape.nested = false;
    const std::size_t size = 1 + random.below(prefix.empty() ? 6 : 3);
    grid.links = {size, size};
    for (std::size_t c = 0; c < size; ++c) {
        Cluster& cluster = grid.clusters.emplace_back();
        cluster.name = prefix + "c" + std::to_string(c);
        cluster.size = 1 + random.below(8);
        if (shape.nested && random.below(3) == 0) {
            auto inner = std::make_shared<const GridNetwork>(
                make(random, inner_shape, cluster.name + ".", scale / 5));
            cluster.size = 0;
            for (const Cluster& member : inner->clusters) cluster.size += member.size;
            cluster.inside = inner;
        } else if (shape.known) {
            cluster.inside = Cluster::KnownBroadcast{Seconds(scale * random.uniform(0, 3))};
        } else {
            cluster.inside = Cluster::Local{random_link(random, scale / 10)};
            if (shape.caps && random.below(3) > 0) {
                cluster.egress = BytesPerSecond(random.uniform(1e6, 1e8) / scale);
                cluster.ingress = BytesPerSecond(random.uniform(1e6, 1e8) / scale);
            }
            if (random.below(2) == 0) cluster.within_node = random_link(random, scale / 100);
            if (random.below(2) == 0)
                for (std::size_t node = 0; node < cluster.size; ++node)
                    cluster.nodes.push_back(cluster.name + "-host" + std::to_string(node));
        }
        for (std::size_t j = 0; j < size; ++j)
            if (c != j) grid.links(c, j) = random_link(random, scale);
    }
    if (!shape.shared || size < 2 || random.below(2) == 0) return grid;
    network::SharedCapacity& uplink = grid.shared.emplace_back();
    uplink.name = prefix + "uplink";
    uplink.capacity = BytesPerSecond(random.uniform(1e5, 1e7) / scale);
    for (std::size_t j = 1; j < size; ++j) uplink.pairs.emplace_back(0, j);
    return grid;
}

}  // namespace

GridNetwork random_grid(Random& random, const RandomGrid& shape) {
    GridNetwork grid = make(random, shape, "", 1);
    if (!shape.shared) grid.unstated = network::Unstated::separate;
    return grid;
}

network::PairwiseNetwork random_pairwise(Random& random, std::size_t nodes,
                                         const RandomPairs& shape) {
    network::PairwiseNetwork network;
    network.startup = {nodes, nodes};
    network.bandwidth = {nodes, nodes};
    for (std::size_t i = 0; i < nodes; ++i) {
        network.nodes.push_back("n" + std::to_string(i));
        for (std::size_t j = 0; j < nodes; ++j) {
            network.startup(i, j) = Seconds(random.uniform(0, shape.most_startup));
            network.bandwidth(i, j) =
                BytesPerSecond(random.uniform(shape.least_bandwidth, shape.most_bandwidth));
        }
    }
    return network;
}

}  // namespace espalier::test
