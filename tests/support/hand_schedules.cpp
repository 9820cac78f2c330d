#include "support/hand_schedules.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace espalier::test {

using network::CostTable;
using network::PLogP;
using schedule::Chunk;
using schedule::Kind;
using schedule::Op;
using schedule::Schedule;
using schedule::Transfer;

Schedule hand_made(Kind kind, std::size_t nodes, std::uint64_t bytes, std::size_t root) {
    Schedule result;
    result.collective = {kind, nodes, root, Bytes(bytes), false};
    for (std::size_t node = 0; node < nodes; ++node)
        result.nodes.emplace_back(1, static_cast<char>('a' + node));
    result.chunks.push_back(chunk_of(bytes));
    return result;
}

Chunk chunk_of(std::uint64_t bytes, std::size_t segments) {
    return {Bytes(bytes), segments, {}, {}, false};
}

Transfer& add_copy(Schedule& schedule, std::size_t from, std::size_t to, std::size_t chunk) {
    Transfer& transfer = schedule.transfers.emplace_back();
    transfer.from = from;
    transfer.to = to;
    transfer.chunk = chunk;
    return transfer;
}

Transfer& add_combine(Schedule& schedule, std::size_t from, std::size_t to, std::size_t chunk) {
    Transfer& transfer = add_copy(schedule, from, to, chunk);
    transfer.op = Op::combine;
    return transfer;
}

schedule::Schedule straight(const std::vector<Block>& blocks, std::size_t ports) {
    schedule::Schedule schedule = hand_made(schedule::Kind::alltoall, 4, 100);
    schedule.chunks.clear();
    schedule.ports.count = ports;
    const auto sizes = std::make_shared<Matrix<Bytes>>(4, 4, Bytes(0));
    for (const auto& [from, to, bytes] : blocks) {
        (*sizes)(from, to) = Bytes(bytes);
        schedule.chunks.push_back({Bytes(bytes), 1, from, to});
        add_copy(schedule, from, to, schedule.chunks.size() - 1);
    }
    schedule.collective.sizes = sizes;
    return schedule;
}

void drop(Schedule& schedule, std::size_t transfer) {
    schedule.transfers.erase(schedule.transfers.begin() + static_cast<std::ptrdiff_t>(transfer));
}

Schedule reduction() {
    Schedule result = hand_made(Kind::reduce, 4, 100);
    add_combine(result, 1, 0);
    add_combine(result, 3, 2);
    add_combine(result, 2, 0);
    return result;
}

Schedule reduction_and_broadcast() {
    Schedule result = reduction();
    result.collective.kind = Kind::allreduce;
    add_copy(result, 0, 2);
    add_copy(result, 0, 1);
    add_copy(result, 2, 3);
    return result;
}

Schedule ring_allreduce() {
    Schedule result = hand_made(Kind::allreduce, 3, 30);
    result.chunks = {chunk_of(10), chunk_of(10), chunk_of(10)};
    for (std::size_t step = 0; step < 2; ++step)
        for (std::size_t node = 0; node < 3; ++node)
            add_combine(result, node, (node + 1) % 3, (node + 3 - step) % 3);
    for (std::size_t step = 0; step < 2; ++step)
        for (std::size_t node = 0; node < 3; ++node)
            add_copy(result, node, (node + 1) % 3, (node + 4 - step) % 3);
    return result;
}

Schedule ring_allgather() {
    Schedule result = hand_made(Kind::allgather, 4, 100);
    result.chunks.clear();
    for (std::size_t node = 0; node < 4; ++node) {
        result.chunks.push_back(chunk_of(100));
        result.chunks.back().source = node;
    }
    for (std::size_t step = 0; step < 3; ++step)
        for (std::size_t node = 0; node < 4; ++node)
            add_copy(result, node, (node + 1) % 4, (node + 4 - step) % 4);
    return result;
}

Schedule total_exchange() {
    Schedule result = hand_made(Kind::alltoall, 3, 100);
    result.chunks.clear();
    for (std::size_t away = 1; away < 3; ++away)
        for (std::size_t node = 0; node < 3; ++node) {
            result.chunks.push_back(chunk_of(100));
            result.chunks.back().source = node;
            result.chunks.back().target = (node + away) % 3;
            add_copy(result, node, (node + away) % 3, result.chunks.size() - 1);
        }
    return result;
}

Schedule two_trees() {
    Schedule result = hand_made(Kind::broadcast, 3, 200);
    result.chunks = {chunk_of(100), chunk_of(100)};
    add_copy(result, 0, 1, 0);
    add_copy(result, 0, 2, 1);
    add_copy(result, 1, 2, 0);
    add_copy(result, 2, 1, 1);
    return result;
}

Schedule scatter() {
    Schedule result = hand_made(Kind::scatter, 4, 100);
    result.chunks.clear();
    for (std::size_t node = 0; node < 4; ++node) {
        result.chunks.push_back(chunk_of(100));
        result.chunks.back().target = node;
    }
    add_copy(result, 0, 2, 2).chunks = 2;
    add_copy(result, 0, 1, 1);
    add_copy(result, 2, 3, 3);
    return result;
}

Schedule gather() {
    Schedule result = hand_made(Kind::gather, 4, 100);
    result.chunks.clear();
    for (std::size_t node = 0; node < 4; ++node) {
        result.chunks.push_back(chunk_of(100));
        result.chunks.back().source = node;
    }
    add_copy(result, 3, 2, 3);
    add_copy(result, 1, 0, 1);
    add_copy(result, 2, 0, 2).chunks = 2;
    return result;
}

Schedule reduce_scatter() {
    Schedule result = hand_made(Kind::reduce_scatter, 2, 100);
    result.chunks = {chunk_of(100), chunk_of(100)};
    result.chunks[0].target = 0;
    result.chunks[1].target = 1;
    add_combine(result, 0, 1, 1);
    add_combine(result, 1, 0, 0);
    return result;
}

Schedule barrier() {
    Schedule result = hand_made(Kind::barrier, 3, 0);
    add_combine(result, 2, 1);
    add_combine(result, 0, 1);
    add_copy(result, 1, 0);
    add_copy(result, 1, 2);
    return result;
}

Schedule doubling_scan(Kind kind) {
    Schedule result = hand_made(kind, 4, 100);
    for (const std::size_t away : {std::size_t{1}, std::size_t{2}})
        for (std::size_t node = 4 - away; node-- > 0;) add_combine(result, node, node + away);
    return result;
}

Schedule chain_scan(Kind kind) {
    Schedule result = hand_made(kind, 4, 100);
    for (std::size_t node = 0; node < 3; ++node) add_combine(result, node, node + 1);
    return result;
}

Schedule with_blocks(Schedule schedule, const std::vector<std::uint64_t>& bytes) {
    std::vector<Bytes> blocks;
    for (const std::uint64_t block : bytes) blocks.emplace_back(block);
    schedule.collective.bytes = *std::ranges::max_element(blocks);
    const bool by_target = schedule.collective.kind == Kind::scatter ||
                           schedule.collective.kind == Kind::reduce_scatter;
    for (Chunk& chunk : schedule.chunks)
        chunk.bytes = blocks[(by_target ? chunk.target : chunk.source).value()];
    schedule.collective.blocks = std::make_shared<const std::vector<Bytes>>(std::move(blocks));
    return schedule;
}

std::vector<Schedule> one_of_every_kind() {
    return {reduction(),
            reduction_and_broadcast(),
            ring_allreduce(),
            ring_allgather(),
            total_exchange(),
            two_trees(),
            scatter(),
            gather(),
            reduce_scatter(),
            barrier(),
            doubling_scan(),
            chain_scan(),
            doubling_scan(Kind::exscan),
            chain_scan(Kind::exscan),
            with_blocks(scatter(), {5, 70, 20, 90}),
            with_blocks(gather(), {5, 70, 20, 90}),
            with_blocks(ring_allgather(), {5, 70, 20, 90}),
            with_blocks(reduce_scatter(), {40, 7})};
}

network::Network uniform_grid(std::size_t nodes, double latency, double per_message,
                              double per_byte) {
    network::GridNetwork grid;
    grid.links = Matrix<std::optional<PLogP>>(nodes, nodes);
    constexpr std::uint64_t far = 1 << 20;
    const CostTable gap(
        {{Bytes(0), Seconds(per_message)}, {Bytes(far), Seconds(per_message + per_byte * far)}});
    for (std::size_t i = 0; i < nodes; ++i) {
        network::Cluster cluster;
        cluster.name = std::string(1, static_cast<char>('a' + i));
        grid.clusters.push_back(cluster);
        for (std::size_t j = 0; j < nodes; ++j)
            if (i != j) grid.links(i, j) = PLogP{CostTable(Seconds(latency)), gap};
    }
    return network::Network(std::move(grid));
}

network::Network uniform_pairwise(std::size_t nodes, double startup, double bandwidth) {
    network::PairwiseNetwork pairwise;
    pairwise.startup = {nodes, nodes, Seconds(startup)};
    pairwise.bandwidth = {nodes, nodes, BytesPerSecond(bandwidth)};
    for (std::size_t i = 0; i < nodes; ++i)
        pairwise.nodes.emplace_back(1, static_cast<char>('a' + i));
    return network::Network(std::move(pairwise));
}

network::Network senders(const std::vector<double>& times) {
    network::SenderNetwork sender;
    for (std::size_t i = 0; i < times.size(); ++i)
        sender.classes.push_back({std::string(1, static_cast<char>('a' + i)), times[i], 1, true});
    return network::Network(std::move(sender));
}

}  // namespace espalier::test
