#include "plan/exchange/open_shop.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace espalier::plan::exchange {

namespace {

/// When each of a node's k ports is free again.
class Ports {
public:
    explicit Ports(std::size_t count) : free_(count, 0) {}
    [[nodiscard]] double earliest() const { return *std::ranges::min_element(free_); }
    void occupy_until(double time) { *std::ranges::min_element(free_) = time; }

private:
    std::vector<double> free_;
};

}  // namespace

Found open_shop(const Problem& problem, const Limits&) {
    const std::size_t nodes = problem.nodes();
    std::vector<Ports> receivers(nodes, Ports(problem.ports));
    std::vector<std::vector<std::size_t>> waiting(nodes);
    for (std::size_t m = 0; m < problem.messages.size(); ++m)
        waiting[problem.messages[m].from].push_back(m);

    // Of senders that are free at the same time the first; each stands here once per port.
    using Turn = std::pair<double, std::size_t>;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    for (std::size_t node = 0; node < nodes; ++node)
        for (std::size_t port = 0; port < problem.ports; ++port) turns.emplace(0, node);
    Found found;
    while (!turns.empty()) {
        const auto [now, sender] = turns.top();
        turns.pop();
        auto& own = waiting[sender];
        if (own.empty()) continue;
        const auto next = std::ranges::min_element(own, {}, [&](std::size_t m) {
            const Message& message = problem.messages[m];
            return std::max(now, receivers[message.to].earliest() - message.latency);
        });
        const Message& message = problem.messages[*next];
        const double start = std::max(now, receivers[message.to].earliest() - message.latency);
        receivers[message.to].occupy_until(start + message.duration());
        turns.emplace(start + message.gap, sender);
        found.order.push_back(direct(problem, *next));
        own.erase(next);
    }
    return found;
}

}  // namespace espalier::plan::exchange
