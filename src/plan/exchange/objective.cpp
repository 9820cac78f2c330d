#include "plan/exchange/objective.hpp"

#include "schedule/demands.hpp"
#include "simulate/use.hpp"

#include <algorithm>

namespace espalier::plan::exchange {

bool better(const Score& a, const Score& b) {
    using simulate::clearly_less;
    for (const auto field : {&Score::critical, &Score::missed, &Score::tardiness}) {
        if (clearly_less(a.*field, b.*field)) return true;
        if (clearly_less(b.*field, a.*field)) return false;
    }
    return clearly_less(a.makespan, b.makespan);
}

Score score_of(const Problem& problem, const std::vector<double>& ends) {
    Score score;
    for (std::size_t m = 0; m < ends.size(); ++m) {
        const Message& message = problem.messages[m];
        score.makespan = std::max(score.makespan, ends[m]);
        if (message.from == problem.critical || message.to == problem.critical)
            score.critical = std::max(score.critical, ends[m]);
        if (!schedule::is_late(ends[m], message.deadline)) continue;
        score.missed += message.priority;
        score.tardiness += message.priority * (ends[m] - message.deadline);
    }
    return score;
}

Score score_of(const Problem& problem, const schedule::Schedule& schedule,
               const schedule::Timeline& timeline) {
    std::vector<double> ends;
    for (const auto& arrival : schedule::arrivals(schedule, timeline))
        ends.push_back(arrival.value_or(Seconds(0)).value);
    return score_of(problem, ends);
}

}  // namespace espalier::plan::exchange
