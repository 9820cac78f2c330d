#include "measure/method/orders.hpp"

#include "core/wire.hpp"

#include <algorithm>

namespace espalier::measure {

namespace {

// To a writer, or from a reader. A part of no times is none.

void pass_part(auto& wire, auto& part) {
    wire(part.times);
    if (part.times > 0) wire(part.opponents, part.turns, part.rounds, part.way, part.bytes);
}

void pass_round(auto& wire, auto& round) {
    wire(round.streams, round.begins, round.warm_up, round.span, round.windows, round.round_trip);
}

template <typename T>
std::vector<std::string> packed(const std::vector<T>& orders, const auto& pass) {
    std::vector<std::string> all;
    for (const T& order : orders) {
        WireWriter to;
        pass(to, order);
        all.push_back(to.bytes());
    }
    return all;
}

}  // namespace

std::vector<std::string> pack(const std::optional<LatencyStep>& step, std::size_t hosts) {
    const auto pass = [](auto& wire, const auto& part) { pass_part(wire, part); };
    if (!step) return packed(std::vector<LatencyPart>(hosts + 1), pass);
    const LatencyPart rest{{}, {}, step->last - step->first, step->times, step->way, step->bytes};
    std::vector<LatencyPart> parts(hosts + 1, rest);
    const auto narrow = [](std::size_t number) { return static_cast<std::uint32_t>(number); };
    step->for_each_meeting([&](const LatencyStep::Meeting& pair) {
        const auto& [a, b, round] = pair;
        parts[a].opponents.push_back({narrow(b), narrow(round - step->first)});
        parts[b].opponents.push_back({narrow(a), narrow(round - step->first)});
        if (step->way != Way::in_turn) return;
        const std::size_t before = round > step->first ? step->groups[round - 1][0] : a;
        const std::size_t after = round + 1 < step->last ? step->groups[round + 1][0] : a;
        parts[a].turns.push_back({true, narrow(before), narrow(after)});
        parts[b].turns.push_back({});
    });
    return packed(parts, pass);
}

std::optional<LatencyPart> unpack_part(const std::string& bytes) {
    WireReader from(bytes);
    LatencyPart part;
    pass_part(from, part);
    if (part.times == 0) return std::nullopt;
    return part;
}

std::vector<std::string> pack(const std::vector<StreamRound>& rounds, std::size_t hosts) {
    std::vector<std::vector<StreamRound>> orders(hosts + 1);
    for (const StreamRound& round : rounds) {
        StreamRound rest = round;
        rest.streams.clear();
        for (auto& order : orders) order.push_back(rest);
        for (const Stream& stream : round.streams) {
            orders[stream.ends.from].back().streams.push_back(stream);
            orders[stream.ends.to].back().streams.push_back(stream);
        }
    }
    return packed(orders, [](auto& wire, const auto& order) {
        wire(order.size());
        for (const StreamRound& round : order) pass_round(wire, round);
    });
}

std::vector<StreamRound> unpack_rounds(const std::string& bytes) {
    WireReader from(bytes);
    std::vector<StreamRound> rounds(from.take<std::size_t>());
    for (StreamRound& round : rounds) pass_round(from, round);
    return rounds;
}

}  // namespace espalier::measure
