#pragma once

#include "core/random.hpp"
#include "report/example_plans.hpp"
#include "simulate/simulate.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace espalier::report::test {

/// A total exchange by the caterpillar on a network whose costs are drawn.
inline schedule::Plan exchange_plan(std::vector<std::string> names, std::uint64_t seed) {
    Random random(seed);
    const std::size_t nodes = names.size();
    network::PairwiseNetwork network;
    network.nodes = names;
    network.startup = Matrix<std::optional<Seconds>>(nodes, nodes);
    network.bandwidth = Matrix<std::optional<BytesPerSecond>>(nodes, nodes);
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j) {
            network.startup(i, j) = Seconds(random.uniform(0.01, 0.1));
            network.bandwidth(i, j) = BytesPerSecond(random.uniform(1000, 20000));
        }
    schedule::Plan plan;
    plan.schedule.collective = {
        .kind = schedule::Kind::alltoall, .nodes = nodes, .root = 0, .bytes = Bytes(10000)};
    plan.schedule.nodes = std::move(names);
    plan.schedule.algorithm = "caterpillar";
    for (std::size_t step = 1; step < nodes; ++step)
        for (std::size_t i = 0; i < nodes; ++i) {
            schedule::Chunk chunk;
            chunk.bytes = Bytes(10000);
            chunk.source = i;
            chunk.target = (i + step) % nodes;
            schedule::Transfer transfer;
            transfer.from = i;
            transfer.to = *chunk.target;
            transfer.chunk = plan.schedule.chunks.size();
            plan.schedule.chunks.push_back(chunk);
            plan.schedule.transfers.push_back(transfer);
        }
    const network::Network whole(network);
    plan.timeline = simulate::simulate(plan.schedule, *simulate::make_fabric(whole));
    plan.lower_bound = plan.timeline.makespan * 0.7;
    return plan;
}

}  // namespace espalier::report::test
