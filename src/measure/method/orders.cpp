#include "measure/method/orders.hpp"

#include "core/wire.hpp"

namespace espalier::measure {

namespace {

// To a writer, or from a reader. A step without groups is none.

void pass_step(auto& wire, auto& step) {
    wire(step.groups);
    if (!step.groups.empty()) wire(step.first, step.last, step.times, step.at_once);
}

void pass_round(auto& wire, auto& round) {
    wire(round.streams, round.begins, round.warm_up, round.span, round.windows, round.settle);
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

std::string pack(const std::vector<StreamRound>& rounds) {
    WireWriter to;
    to(rounds.size());
    for (const StreamRound& round : rounds) pass_round(to, round);
    return to.bytes();
}

std::vector<StreamRound> unpack_rounds(const std::string& bytes) {
    WireReader from(bytes);
    std::vector<StreamRound> rounds(from.take<std::size_t>());
    for (StreamRound& round : rounds) pass_round(from, round);
    return rounds;
}

}  // namespace espalier::measure
