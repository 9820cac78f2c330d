#include "measure/method/latency_step.hpp"

#include "measure/method/tournament.hpp"

#include <algorithm>

namespace espalier::measure {

std::vector<LatencyStep::Meeting> LatencyStep::meetings() const {
    std::vector<Meeting> found;
    if (way == Way::in_turn) {
        for (std::size_t turn = first; turn < last; ++turn)
            found.push_back({groups[turn][0], groups[turn][1], turn});
        return found;
    }
    for (const auto& group : groups)
        for (std::size_t round = first; round < std::min(last, tournament_rounds(group.size()));
             ++round)
            for (const auto& [low, high] : pairs_of_round(group.size(), round))
                found.push_back({group[low], group[high], round});
    return found;
}

LatencyStep in_turn(const LatencyStep& step) {
    LatencyStep turns{{}, 0, 0, step.times, Way::in_turn, step.bytes};
    for (const auto& [a, b, round] : step.meetings())
        turns.groups.push_back({std::min(a, b), std::max(a, b)});
    // The turn is handed on where another host begins.
    std::ranges::sort(turns.groups);
    turns.last = turns.groups.size();
    return turns;
}

void for_each_round_trip(const LatencyStep& step, const std::vector<std::vector<double>>& waits,
                         const std::function<void(std::size_t, std::size_t, double)>& take) {
    for (const auto& [a, b, round] : step.meetings())
        for (std::size_t time = 0; time < step.times; ++time) {
            const double first = waits[a][step.place(time, round)];
            const double second = waits[b][step.place(time, round)];
            take(a, b,
                 step.way == Way::in_rounds ? first + second
                 : step.way == Way::in_turn ? first
                                            : std::min(first, second));
        }
}

std::size_t rounds_of(const std::vector<std::vector<std::size_t>>& groups) {
    std::size_t rounds = 0;
    for (const auto& group : groups) rounds = std::max(rounds, tournament_rounds(group.size()));
    return rounds;
}

}  // namespace espalier::measure
