#include "measure/method/orders.hpp"

#include "core/wire.hpp"

namespace espalier::measure {

namespace {

// To a writer, or from a reader. A step without groups, or a round without streams, is none.

void pass_step(auto& wire, auto& step) {
    wire(step.groups);
    if (!step.groups.empty()) wire(step.first, step.last, step.times, step.at_once);
}

void pass_round(auto& wire, auto& round) {
    wire(round.streams);
    if (!round.streams.empty()) wire(round.warm_up, round.span, round.settle);
}

}  // namespace

std::string pack(const std::optional<LatencyStep>& step) {
    WireWriter to;
    const LatencyStep sent = step.value_or(LatencyStep());
    pass_step(to, sent);
    return to.bytes();
}

std::optional<LatencyStep> unpack_step(const std::string& bytes) {
    WireReader from(bytes);
    LatencyStep step;
    pass_step(from, step);
    if (step.groups.empty()) return std::nullopt;
    return step;
}

std::string pack(const std::optional<StreamRound>& round) {
    WireWriter to;
    const StreamRound sent = round.value_or(StreamRound());
    pass_round(to, sent);
    return to.bytes();
}

std::optional<StreamRound> unpack_round(const std::string& bytes) {
    WireReader from(bytes);
    StreamRound round;
    pass_round(from, round);
    if (round.streams.empty()) return std::nullopt;
    return round;
}

}  // namespace espalier::measure
