#include "libraries/rounds.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace espalier::libraries {

namespace {

schedule::Schedule empty_schedule(const Call& call, std::size_t ports) {
    schedule::Schedule schedule;
    schedule.collective.kind = call.kind;
    schedule.collective.nodes = call.ranks;
    schedule.collective.bytes = call.bytes;
    schedule.nodes.resize(call.ranks);
    schedule.ports.count = std::max<std::size_t>(ports, 1);
    return schedule;
}

}  // namespace

schedule::Schedule schedule_of(const Call& call, const Rounds& rounds, std::size_t ports) {
    schedule::Schedule schedule = empty_schedule(call, ports);
    schedule::add(schedule, rounds);
    return schedule;
}

Rounds down(const Tree& tree, Bytes bytes) {
    Rounds rounds;
    for (const Edge& edge : tree) rounds.push_back({{edge.parent, edge.child, bytes}});
    return rounds;
}

schedule::Schedule schedule_of(const Call& call, const Tree& tree, Bytes segment) {
    schedule::Schedule schedule = empty_schedule(call, 1);
    const std::uint64_t segments =
        segment.value > 0 ? (call.bytes.value + segment.value - 1) / segment.value : 1;
    schedule.chunks.push_back({call.bytes, std::max<std::uint64_t>(segments, 1)});
    for (const Edge& edge : tree)
        schedule.transfers.push_back({.from = edge.parent, .to = edge.child});
    if (call.kind != schedule::Kind::reduce) return schedule;
    std::ranges::reverse(schedule.transfers);
    for (schedule::Transfer& transfer : schedule.transfers) {
        std::swap(transfer.from, transfer.to);
        transfer.op = schedule::Op::combine;
    }
    return schedule;
}

Pairs::Pairs(std::size_t ranks) : size_(std::bit_floor(ranks)), folded_(ranks - size_) {}

Rounds Pairs::fold(Bytes bytes) const {
    if (folded_ == 0) return {};
    Round round;
    for (std::size_t i = 0; i < folded_; ++i) round.push_back({2 * i, 2 * i + 1, bytes});
    return {round};
}

Round Pairs::exchange(std::size_t distance, Bytes bytes) const {
    Round round;
    for (std::size_t i = 0; i < size_; ++i) round.push_back({rank(i), rank(i ^ distance), bytes});
    return round;
}

}  // namespace espalier::libraries
