#include "runtime/logic/rank_plan.hpp"
#include "runtime/logic/words.hpp"

#include <cassert>

namespace espalier::runtime {

namespace {

using schedule::Chunk;
using schedule::Op;
using schedule::Transfer;

void write_chunk(WordWriter& to, const Chunk& chunk) {
    to.number(chunk.bytes.value);
    to.number(chunk.segments);
    to.optional(chunk.source);
    to.optional(chunk.target);
    to.number(chunk.control ? 1 : 0);
}

Chunk read_chunk(WordReader& from) {
    Chunk chunk;
    chunk.bytes = Bytes(from.number());
    chunk.segments = from.number();
    chunk.source = from.optional();
    chunk.target = from.optional();
    chunk.control = from.number() == 1;
    return chunk;
}

void write_transfer(WordWriter& to, const Transfer& transfer) {
    to.number(transfer.from);
    to.number(transfer.to);
    to.number(transfer.chunk);
    to.number(transfer.op == Op::combine ? 1 : 0);
    to.number(transfer.chunks);
    to.optional(transfer.segments);
    to.optional(transfer.after);
}

Transfer read_transfer(WordReader& from) {
    Transfer transfer;
    transfer.from = from.number();
    transfer.to = from.number();
    transfer.chunk = from.number();
    transfer.op = from.number() == 1 ? Op::combine : Op::copy;
    transfer.chunks = from.number();
    transfer.segments = from.optional();
    transfer.after = from.optional();
    return transfer;
}

}  // namespace

std::vector<std::uint64_t> encode(const RankPlan& plan) {
    WordWriter to;
    to.text(plan.refusal);
    to.real(plan.predicted.value);
    const schedule::Schedule& schedule = plan.schedule;
    to.number(static_cast<std::uint64_t>(schedule.collective.kind));
    to.number(schedule.collective.nodes);
    to.number(schedule.collective.root);
    to.number(schedule.collective.bytes.value);
    to.number(schedule.collective.ordered ? 1 : 0);
    to.text(schedule.algorithm);
    to.number(schedule.spaced ? 1 : 0);
    to.number(schedule.chunks.size());
    for (const Chunk& chunk : schedule.chunks) write_chunk(to, chunk);
    to.number(schedule.transfers.size());
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        write_transfer(to, schedule.transfers[t]);
        to.cost(plan.costs[t].first);
        to.cost(plan.costs[t].last);
    }
    return to.take();
}

RankPlan decode(std::span<const std::uint64_t> words) {
    WordReader from(words);
    RankPlan plan;
    plan.refusal = from.text();
    plan.predicted = Seconds(from.real());
    schedule::Schedule& schedule = plan.schedule;
    schedule.collective.kind = static_cast<schedule::Kind>(from.number());
    schedule.collective.nodes = from.number();
    schedule.collective.root = from.number();
    schedule.collective.bytes = Bytes(from.number());
    schedule.collective.ordered = from.number() == 1;
    schedule.algorithm = from.text();
    schedule.spaced = from.number() == 1;
    schedule.chunks.resize(from.number());
    for (Chunk& chunk : schedule.chunks) chunk = read_chunk(from);
    schedule.transfers.resize(from.number());
    for (Transfer& transfer : schedule.transfers) {
        transfer = read_transfer(from);
        const simulate::MessageCost first = from.cost();
        plan.costs.push_back({first, from.cost()});
    }
    assert(from.at_end());
    return plan;
}

}  // namespace espalier::runtime
