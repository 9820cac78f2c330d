#include "schedule/rounds.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace espalier::schedule {

Rounds operator+(Rounds first, const Rounds& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

Rounds reversed(Rounds rounds) {
    std::ranges::reverse(rounds);
    for (Round& round : rounds) {
        std::ranges::reverse(round);
        for (Message& message : round) std::swap(message.from, message.to);
    }
    return rounds;
}

void add(Schedule& schedule, const Rounds& rounds) {
    std::vector<std::optional<std::size_t>> last(schedule.nodes.size());
    for (const Round& round : rounds) {
        const std::size_t first = schedule.transfers.size();
        for (const Message& message : round) {
            schedule.transfers.push_back({.from = message.from,
                                          .to = message.to,
                                          .chunk = schedule.chunks.size(),
                                          .after = last[message.from]});
            schedule.chunks.push_back({.bytes = message.bytes, .control = true});
        }
        for (std::size_t t = first; t < schedule.transfers.size(); ++t)
            last[schedule.transfers[t].to] = t;
    }
}

}  // namespace espalier::schedule
