#include "runtime/logic/rank_plan.hpp"

#include <bit>
#include <cassert>

namespace espalier::runtime {

namespace {

using schedule::Chunk;
using schedule::Op;
using schedule::Transfer;

class Writer {
public:
    void number(std::uint64_t value) { words_.push_back(value); }
    void real(double value) { number(std::bit_cast<std::uint64_t>(value)); }
    void text(const std::string& value) {
        number(value.size());
        for (const char letter : value) number(static_cast<unsigned char>(letter));
    }
    /// Nothing is 0, and a value one more than it is.
    void optional(const std::optional<std::size_t>& value) { number(value ? *value + 1 : 0); }
    void cost(const simulate::MessageCost& value) {
        real(value.gap.value);
        real(value.latency.value);
    }
    std::vector<std::uint64_t> take() { return std::move(words_); }

private:
    std::vector<std::uint64_t> words_;
};

class Reader {
public:
    explicit Reader(std::span<const std::uint64_t> words) : words_(words) {}

    std::uint64_t number() {
        assert(next_ < words_.size());
        return words_[next_++];
    }
    double real() { return std::bit_cast<double>(number()); }
    std::string text() {
        std::string value(number(), '\0');
        for (char& letter : value) letter = static_cast<char>(number());
        return value;
    }
    std::optional<std::size_t> optional() {
        const std::uint64_t value = number();
        return value == 0 ? std::nullopt : std::optional<std::size_t>(value - 1);
    }
    simulate::MessageCost cost() {
        const Seconds gap(real());
        return {gap, Seconds(real())};
    }
    [[nodiscard]] bool at_end() const { return next_ == words_.size(); }

private:
    std::span<const std::uint64_t> words_;
    std::size_t next_ = 0;
};

void write_chunk(Writer& to, const Chunk& chunk) {
    to.number(chunk.bytes.value);
    to.number(chunk.segments);
    to.optional(chunk.source);
    to.optional(chunk.target);
    to.number(chunk.control ? 1 : 0);
}

Chunk read_chunk(Reader& from) {
    Chunk chunk;
    chunk.bytes = Bytes(from.number());
    chunk.segments = from.number();
    chunk.source = from.optional();
    chunk.target = from.optional();
    chunk.control = from.number() == 1;
    return chunk;
}

void write_transfer(Writer& to, const Transfer& transfer) {
    to.number(transfer.from);
    to.number(transfer.to);
    to.number(transfer.chunk);
    to.number(transfer.op == Op::combine ? 1 : 0);
    to.number(transfer.chunks);
    to.optional(transfer.segments);
    to.optional(transfer.after);
}

Transfer read_transfer(Reader& from) {
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
    Writer to;
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
    Reader from(words);
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
