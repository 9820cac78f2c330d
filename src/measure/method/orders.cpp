#include "measure/method/orders.hpp"

#include "core/wire.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace espalier::measure {

namespace {

// To a writer, or from a reader. A part of no times is none.

void pass_part(auto& wire, auto& part) {
    wire(part.times);
    if (part.times > 0)
        wire(part.opponents, part.turns, part.rounds, part.way, part.bytes, part.by_clocks);
}

void pass_round(auto& wire, auto& round) {
    wire(round.streams, round.begins, round.warm_up, round.span, round.windows, round.round_trip,
         round.trains);
}

template <typename T>
std::string packed(const T& order, const auto& pass) {
    WireWriter to;
    pass(to, order);
    return std::move(to).bytes();
}

}  // namespace

std::vector<std::string> pack(const std::optional<LatencyStep>& step, std::size_t hosts) {
    const auto pass = [](auto& wire, const auto& part) { pass_part(wire, part); };
    if (!step) return std::vector<std::string>(hosts + 1, packed(LatencyPart(), pass));
    const LatencyPart rest{{},        {},          step->last - step->first, step->times,
                           step->way, step->bytes, step->by_clocks};
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
    // Each part goes when it is packed: of a large job's hosts they are many.
    std::vector<std::string> orders;
    for (LatencyPart& part : parts) orders.push_back(packed(std::exchange(part, {}), pass));
    return orders;
}

std::optional<LatencyPart> unpack_part(const std::string& bytes) {
    WireReader from(bytes);
    LatencyPart part;
    pass_part(from, part);
    if (part.times == 0) return std::nullopt;
    return part;
}

std::vector<std::string> pack(const std::vector<StreamRound>& rounds, std::size_t hosts) {
    std::vector<StreamRound> order;  // of the host whose turn it is
    for (const StreamRound& round : rounds) {
        order.push_back(round);
        order.back().streams.clear();
    }
    struct Place {
        std::uint32_t round = 0;
        std::uint32_t stream = 0;
    };
    std::vector<std::vector<Place>> places(hosts + 1);  // of each host's streams
    for (std::uint32_t r = 0; r < rounds.size(); ++r)
        for (std::uint32_t s = 0; s < rounds[r].streams.size(); ++s) {
            const StreamEnds& ends = rounds[r].streams[s].ends;
            places[ends.from].push_back({r, s});
            places[ends.to].push_back({r, s});
        }
    std::vector<std::string> orders;
    // Of many rounds a host hears of those that it takes part in, and of the last, after which it
    // tells what came.
    const auto pass = [](auto& wire, const auto& all) {
        const auto concerns = [&](const StreamRound& round) {
            return !round.streams.empty() || &round == &all.back();
        };
        wire(static_cast<std::size_t>(std::ranges::count_if(all, concerns)));
        for (const StreamRound& round : all)
            if (concerns(round)) pass_round(wire, round);
    };
    for (const auto& own : places) {
        for (const auto& [r, s] : own) order[r].streams.push_back(rounds[r].streams[s]);
        orders.push_back(packed(order, pass));
        for (StreamRound& round : order) round.streams.clear();
    }
    return orders;
}

std::vector<StreamRound> unpack_rounds(const std::string& bytes) {
    WireReader from(bytes);
    std::vector<StreamRound> rounds(from.take<std::size_t>());
    for (StreamRound& round : rounds) pass_round(from, round);
    return rounds;
}

}  // namespace espalier::measure
