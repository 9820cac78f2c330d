#include "support/three_sites.hpp"

#include <string>

namespace espalier::test {

using network::Cluster;
using network::GridNetwork;
using network::PLogP;

PLogP link_of(double latency) {
    return {network::CostTable(Seconds(latency)),
            network::CostTable({{Bytes(1), Seconds(0.001)}, {Bytes(1000), Seconds(1)}})};
}

GridNetwork three_sites(std::size_t nodes, const std::vector<double>& rates) {
    constexpr double latencies[3][3] = {{0, 1, 5}, {1, 0, 2}, {5, 2, 0}};
    GridNetwork grid;
    grid.links = {3, 3};
    for (std::size_t a = 0; a < 3; ++a) {
        Cluster& cluster = grid.clusters.emplace_back();
        cluster.name = "c" + std::to_string(a);
        cluster.size = nodes;
        cluster.inside = Cluster::Local{link_of(0.01)};
        network::SharedCapacity up{"up" + std::to_string(a), BytesPerSecond(rates[a]), {}};
        network::SharedCapacity down{"down" + std::to_string(a), BytesPerSecond(rates[a]), {}};
        for (std::size_t b = 0; b < 3; ++b) {
            if (a == b) continue;
            grid.links(a, b) = link_of(latencies[a][b]);
            up.pairs.emplace_back(a, b);
            down.pairs.emplace_back(b, a);
        }
        grid.shared.push_back(std::move(up));
        grid.shared.push_back(std::move(down));
    }
    return grid;
}

}  // namespace espalier::test
