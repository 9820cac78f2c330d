#include "support/grid_schedules.hpp"

#include <string>

namespace espalier::test {

schedule::Schedule schedule_of(const plan::grid::Problem& problem, const plan::grid::Order& order) {
    schedule::Schedule result;
    result.collective = {.kind = schedule::Kind::broadcast,
                         .nodes = problem.size(),
                         .root = problem.root,
                         .bytes = Bytes(1000)};
    result.chunks.emplace_back().bytes = Bytes(1000);
    result.ports.count = problem.ports;
    for (std::size_t i = 0; i < problem.size(); ++i) {
        result.nodes.push_back("c" + std::to_string(i));
        schedule::LocalPart& part = result.local.emplace_back();
        part.node = i;
        part.strategy = "known";
        part.duration = Seconds(problem.inner[i]);
    }
    for (const auto [from, to] : order) {
        schedule::Transfer& transfer = result.transfers.emplace_back();
        transfer.from = from;
        transfer.to = to;
    }
    return result;
}

network::Network network_of(const plan::grid::Problem& problem) {
    const std::size_t n = problem.size();
    network::GridNetwork grid;
    grid.links = Matrix<std::optional<network::PLogP>>(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        network::Cluster cluster;
        cluster.name = "c" + std::to_string(i);
        cluster.inside = network::Cluster::KnownBroadcast{Seconds(problem.inner[i])};
        grid.clusters.push_back(cluster);
        for (std::size_t j = 0; j < n; ++j)
            if (i != j)
                grid.links(i, j) =
                    network::PLogP{.latency = network::CostTable(Seconds(problem.latency(i, j))),
                                   .gap = network::CostTable(Seconds(problem.gap(i, j)))};
    }
    return network::Network(std::move(grid));
}

}  // namespace espalier::test
