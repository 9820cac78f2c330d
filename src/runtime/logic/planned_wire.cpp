#include "runtime/logic/planned_collective.hpp"
#include "runtime/logic/words.hpp"

#include <cassert>

namespace espalier::runtime {

namespace {

constexpr unsigned half = 32;

void write_pair(WordWriter& to, std::uint64_t high, std::uint64_t low) {
    assert(high >> half == 0 && low >> half == 0);
    to.number(high << half | low);
}

struct Pair {
    std::uint32_t high = 0;
    std::uint32_t low = 0;
};
Pair read_pair(WordReader& from) {
    const std::uint64_t word = from.number();
    return {static_cast<std::uint32_t>(word >> half), static_cast<std::uint32_t>(word)};
}

/// Most chunks are all of an item, and its share need not be told.
void write_chunk(WordWriter& to, const RankProgram::Chunk& chunk) {
    write_pair(to, chunk.source, chunk.target);
    const bool all = chunk.begin == 0 && chunk.end == 1 && chunk.of == 1;
    to.number((all ? 2U : 0U) | (chunk.empty ? 1U : 0U));
    if (all) return;
    to.number(chunk.begin);
    to.number(chunk.end);
    to.number(chunk.of);
}

RankProgram::Chunk read_chunk(WordReader& from) {
    RankProgram::Chunk chunk;
    const Pair item = read_pair(from);
    chunk.source = item.high;
    chunk.target = item.low;
    const std::uint64_t flags = from.number();
    chunk.empty = (flags & 1U) != 0;
    if ((flags & 2U) != 0) return chunk;
    chunk.begin = from.number();
    chunk.end = from.number();
    chunk.of = from.number();
    return chunk;
}

void write_message(WordWriter& to, const RankProgram::Message& message, std::uint64_t flags) {
    write_pair(to, static_cast<std::uint64_t>(message.peer), flags);
    write_pair(to, message.chunk, message.chunks);
    write_pair(to, message.segment, message.segments);
}

/// Returns the flags.
std::uint32_t read_message(WordReader& from, RankProgram::Message& message) {
    const Pair peer = read_pair(from);
    message.peer = static_cast<int>(peer.high);
    const Pair chunks = read_pair(from);
    message.chunk = chunks.high;
    message.chunks = chunks.low;
    const Pair segments = read_pair(from);
    message.segment = segments.high;
    message.segments = segments.low;
    return peer.low;
}

void write_receive(WordWriter& to, const RankProgram::Receive& receive) {
    write_message(to, receive.message,
                  (receive.op == schedule::Op::combine ? 1U : 0U) | (receive.from_left ? 2U : 0U));
    write_pair(to, receive.first_need, receive.last_need);
    write_pair(to, receive.first_earlier, receive.last_earlier);
}

RankProgram::Receive read_receive(WordReader& from) {
    RankProgram::Receive receive;
    const std::uint32_t flags = read_message(from, receive.message);
    receive.op = (flags & 1U) != 0 ? schedule::Op::combine : schedule::Op::copy;
    receive.from_left = (flags & 2U) != 0;
    const Pair needs = read_pair(from);
    receive.first_need = needs.high;
    receive.last_need = needs.low;
    const Pair earlier = read_pair(from);
    receive.first_earlier = earlier.high;
    receive.last_earlier = earlier.low;
    return receive;
}

void write_send(WordWriter& to, const RankProgram::Send& send) {
    write_message(to, send.message, send.whole ? 1 : 0);
    write_pair(to, send.first_need, send.last_need);
    to.cost(send.cost);
}

RankProgram::Send read_send(WordReader& from) {
    RankProgram::Send send;
    send.whole = read_message(from, send.message) != 0;
    const Pair needs = read_pair(from);
    send.first_need = needs.high;
    send.last_need = needs.low;
    send.cost = from.cost();
    return send;
}

template <typename Value, typename Write>
void write_all(WordWriter& to, const std::vector<Value>& values, Write write) {
    to.number(values.size());
    for (const Value& value : values) write(to, value);
}

template <typename Value, typename Read>
void read_all(WordReader& from, std::vector<Value>& values, Read read) {
    values.resize(from.number());
    for (Value& value : values) value = read(from);
}

void write_index(WordWriter& to, std::size_t index) { to.number(index); }
std::size_t read_index(WordReader& from) { return from.number(); }
void write_barrier(WordWriter& to, const RankProgram::Barrier& barrier) {
    write_pair(to, barrier.sends, barrier.receives);
}
RankProgram::Barrier read_barrier(WordReader& from) {
    const Pair barrier = read_pair(from);
    return {barrier.high, barrier.low};
}

void write_program(WordWriter& to, const RankProgram& program) {
    write_all(to, program.chunks, write_chunk);
    write_all(to, program.receives, write_receive);
    write_all(to, program.sends, write_send);
    write_all(to, program.needs, write_index);
    write_all(to, program.earlier, write_index);
    write_all(to, program.barriers, write_barrier);
    to.number(program.spaced ? 1 : 0);
    to.number(program.paced_window);
    to.number(program.ports);
    to.number(program.window);
}

RankProgram read_program(WordReader& from) {
    RankProgram program;
    read_all(from, program.chunks, read_chunk);
    read_all(from, program.receives, read_receive);
    read_all(from, program.sends, read_send);
    read_all(from, program.needs, read_index);
    read_all(from, program.earlier, read_index);
    read_all(from, program.barriers, read_barrier);
    program.spaced = from.number() == 1;
    program.paced_window = from.number();
    program.ports = from.number();
    program.window = from.number();
    return program;
}

void write_share(WordWriter& to, const PlannedCollective& share) {
    to.text(share.refusal);
    to.text(share.algorithm);
    to.number(share.predicted ? 1 : 0);
    if (share.predicted) to.real(share.predicted->value);
    to.real(share.bound.value);
    to.number(share.segments);
    to.number(share.staging_bytes);
    to.number(share.tries_native ? 1 : 0);
    to.text(share.choice);
    write_program(to, share.program);
    write_all(to, share.others, write_share);
}

PlannedCollective read_share(WordReader& from) {
    PlannedCollective share;
    share.refusal = from.text();
    share.algorithm = from.text();
    if (from.number() == 1) share.predicted = Seconds(from.real());
    share.bound = Seconds(from.real());
    share.segments = from.number();
    share.staging_bytes = from.number();
    share.tries_native = from.number() == 1;
    share.choice = from.text();
    share.program = read_program(from);
    read_all(from, share.others, read_share);
    return share;
}

}  // namespace

std::vector<std::uint64_t> encode(const PlannedCollective& share) {
    WordWriter to;
    write_share(to, share);
    return to.take();
}

PlannedCollective decode_planned(std::span<const std::uint64_t> words) {
    WordReader from(words);
    PlannedCollective share = read_share(from);
    assert(from.at_end());
    return share;
}

}  // namespace espalier::runtime
