#include "core/wire.hpp"
#include "runtime/logic/planned_collective.hpp"

#include <cassert>
#include <cstdint>
#include <limits>

namespace espalier::runtime {

namespace {

// Each function says for a writer and a reader what of a value is sent.

/// Indices, of which there are many, in half of their bytes.
class Indices {
public:
    void operator()(WireWriter& wire, const auto&... indices) const {
        (wire(narrow(indices)), ...);
    }
    void operator()(WireReader& wire, auto&... indices) const {
        ((indices = wire.take<std::uint32_t>()), ...);
    }

private:
    static std::uint32_t narrow(std::size_t index) {
        assert(index <= std::numeric_limits<std::uint32_t>::max());
        return static_cast<std::uint32_t>(index);
    }
};
constexpr Indices pass_indices{};

void pass_size(WireWriter& wire, const auto& list) { wire(list.size()); }
void pass_size(WireReader& wire, auto& list) { list.resize(wire.take<std::size_t>()); }

void pass_all(auto& wire, auto& values, const auto& pass_each) {
    pass_size(wire, values);
    for (auto& value : values) pass_each(wire, value);
}

/// Passes a chunk. Most chunks are all of an item, and then the share is left out.
void pass_chunk(auto& wire, auto& chunk) {
    bool all = chunk.begin == 0 && chunk.end == 1 && chunk.of == 1;
    wire(chunk.source, chunk.target, chunk.empty, all);
    if (!all) wire(chunk.begin, chunk.end, chunk.of);
}

void pass_message(auto& wire, auto& message) {
    wire(message.peer, message.chunk, message.chunks, message.segment, message.segments);
}

void pass_receive(auto& wire, auto& receive) {
    pass_message(wire, receive.message);
    wire(receive.op, receive.from_left);
    pass_indices(wire, receive.first_need, receive.last_need, receive.first_earlier,
                 receive.last_earlier);
}

void pass_send(auto& wire, auto& send) {
    pass_message(wire, send.message);
    wire(send.start, send.gap);
    pass_indices(wire, send.first_need, send.last_need);
}

void pass_program(auto& wire, auto& program) {
    pass_all(wire, program.chunks, [](auto& to, auto& chunk) { pass_chunk(to, chunk); });
    pass_all(wire, program.receives, [](auto& to, auto& receive) { pass_receive(to, receive); });
    pass_all(wire, program.sends, [](auto& to, auto& send) { pass_send(to, send); });
    pass_all(wire, program.needs, pass_indices);
    pass_all(wire, program.earlier, pass_indices);
    pass_all(wire, program.barriers,
             [](auto& to, auto& barrier) { pass_indices(to, barrier.sends, barrier.receives); });
    wire(program.ports, program.window);
}

void pass_share(auto& wire, auto& share) {
    wire(share.refusal, share.algorithm, share.predicted, share.bound, share.segments,
         share.staging_bytes, share.prior, share.library, share.agreement, share.agreeing,
         share.steps, share.is_final, share.is_only, share.pause, share.turns, share.choice);
    pass_program(wire, share.program);
    pass_all(wire, share.others, [](auto& to, auto& other) { pass_share(to, other); });
}

}  // namespace

std::string encode(const PlannedCollective& share) {
    WireWriter wire;
    pass_share(wire, share);
    return wire.bytes();
}

PlannedCollective decode_planned(const std::string& bytes) {
    WireReader wire(bytes);
    PlannedCollective share;
    pass_share(wire, share);
    return share;
}

}  // namespace espalier::runtime
