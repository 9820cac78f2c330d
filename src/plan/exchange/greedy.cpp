#include "plan/exchange/greedy.hpp"

#include <algorithm>
#include <numeric>

namespace espalier::plan::exchange {

namespace {

/// What each sender still has to send, the longest first; of equals the first receiver's.
std::vector<std::vector<std::size_t>> rank_messages(const Problem& problem) {
    std::vector<std::vector<std::size_t>> ranked(problem.nodes());
    for (std::size_t m = 0; m < problem.messages.size(); ++m)
        ranked[problem.messages[m].from].push_back(m);
    for (auto& own : ranked)
        std::ranges::stable_sort(own, std::ranges::greater{},
                                 [&](std::size_t m) { return problem.messages[m].duration(); });
    return ranked;
}

}  // namespace

Found greedy(const Problem& problem, Meter&) {
    const std::size_t nodes = problem.nodes();
    auto ranked = rank_messages(problem);
    std::vector<std::size_t> senders(nodes);  // in the order in which they choose
    std::iota(senders.begin(), senders.end(), std::size_t{0});
    std::vector<std::size_t> taken_in(nodes, 0);  // the last step that each receiver was taken in
    Found found;
    for (std::size_t step = 1; found.order.size() < problem.messages.size(); ++step) {
        std::erase_if(senders, [&](std::size_t sender) { return ranked[sender].empty(); });
        std::vector<std::size_t> idle;
        std::vector<std::size_t> busy;
        for (const std::size_t sender : senders) {
            auto& own = ranked[sender];
            const auto next = std::ranges::find_if(
                own, [&](std::size_t m) { return taken_in[problem.messages[m].to] != step; });
            if (next == own.end()) {
                idle.push_back(sender);
                continue;
            }
            busy.push_back(sender);
            taken_in[problem.messages[*next].to] = step;
            found.order.push_back(*next);
            own.erase(next);
        }
        if (idle.empty()) std::rotate(busy.begin(), busy.end() - 1, busy.end());
        senders = std::move(idle);
        senders.insert(senders.end(), busy.begin(), busy.end());
    }
    return found;
}

}  // namespace espalier::plan::exchange
