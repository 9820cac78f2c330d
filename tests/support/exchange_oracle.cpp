#include "support/exchange_oracle.hpp"

#include "simulate/simulate.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace espalier::test {

using demands::Hop;
using demands::Order;
using demands::Problem;
using demands::Score;

Score simulated_score(const Problem& problem, const Order& order) {
    schedule::Schedule schedule;
    schedule.nodes.resize(problem.nodes());
    schedule.ports.count = problem.ports;
    schedule.reception = problem.reception;
    for (const auto& message : problem.messages)
        schedule.chunks.push_back({message.bytes, 1, message.from, message.to});
    for (const Hop& hop : order) schedule.transfers.push_back({hop.from, hop.to, hop.message});
    const auto timeline = simulate::simulate(schedule, *problem.fabric);
    Score score;
    for (std::size_t t = 0; t < order.size(); ++t) {
        const auto& message = problem.messages[order[t].message];
        const double end = timeline.transfers[t].end.value;
        if (order[t].to != message.to) continue;
        score.makespan = std::max(score.makespan, end);
        if (problem.critical == message.from || problem.critical == message.to)
            score.critical = std::max(score.critical, end);
        const auto [deadline, priority] = problem.due(order[t].message);
        if (end > deadline + 1e-9) {
            score.missed += priority;
            score.tardiness += priority * (end - deadline);
        }
    }
    return score;
}

Score best_of_all_orders(const Problem& problem,
                         const std::function<bool(const Score&, const Score&)>& better) {
    std::vector<std::size_t> messages(problem.messages.size());
    std::iota(messages.begin(), messages.end(), std::size_t{0});
    std::optional<Score> best;
    do {
        Order order;
        for (const std::size_t m : messages) order.push_back(direct(problem, m));
        const Score score = simulated_score(problem, order);
        if (!best || better(score, *best)) best = score;
    } while (std::ranges::next_permutation(messages).found);
    return best.value_or(Score{});
}

}  // namespace espalier::test
