#include "measure/method/latency_step.hpp"

#include "measure/method/tournament.hpp"

#include <algorithm>

namespace espalier::measure {

void LatencyStep::for_each_meeting(const std::function<void(const Meeting&)>& take) const {
    if (way == Way::in_turn) {
        for (std::size_t turn = first; turn < last; ++turn)
            take({groups[turn][0], groups[turn][1], turn});
        return;
    }
    for (const auto& group : groups)
        for (std::size_t round = first; round < std::min(last, tournament_rounds(group.size()));
             ++round)
            for (const auto& [low, high] : pairs_of_round(group.size(), round))
                take({group[low], group[high], round});
}

LatencyStep in_turn(const LatencyStep& step) {
    LatencyStep turns{{}, 0, 0, step.times, Way::in_turn, step.bytes};
    step.for_each_meeting([&](const LatencyStep::Meeting& pair) {
        turns.groups.push_back({std::min(pair.a, pair.b), std::max(pair.a, pair.b)});
    });
    // The turn is handed on where another host begins.
    std::ranges::sort(turns.groups);
    turns.last = turns.groups.size();
    return turns;
}

void for_each_round_trip(const LatencyStep& step, const std::vector<Timed>& timed,
                         const std::function<void(std::size_t, std::size_t, double)>& take) {
    step.for_each_meeting([&](const LatencyStep::Meeting& pair) {
        for (std::size_t time = 0; time < step.times; ++time) {
            const double first = timed[pair.a].waits[step.place(time, pair.round)];
            const double second = timed[pair.b].waits[step.place(time, pair.round)];
            take(pair.a, pair.b,
                 step.way == Way::in_rounds ? first + second
                 : step.way == Way::in_turn ? first
                                            : std::min(first, second));
        }
    });
}

void for_each_passages(const LatencyStep& step, const std::vector<Timed>& timed,
                       const std::function<void(std::size_t, std::size_t, double, double)>& take) {
    if (!step.by_clocks) return;
    step.for_each_meeting([&](const LatencyStep::Meeting& pair) {
        const std::size_t place = pair.round - step.first;
        take(pair.a, pair.b, timed[pair.b].passages[place], timed[pair.a].passages[place]);
    });
}

std::size_t rounds_of(const std::vector<std::vector<std::size_t>>& groups) {
    std::size_t rounds = 0;
    for (const auto& group : groups) rounds = std::max(rounds, tournament_rounds(group.size()));
    return rounds;
}

}  // namespace espalier::measure
