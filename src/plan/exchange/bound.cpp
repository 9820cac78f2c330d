#include "plan/exchange/bound.hpp"

#include "core/infinity.hpp"

#include <algorithm>

namespace espalier::plan::exchange {

namespace {

/// What all messages that need one thing ask of it.
struct Load {
    double amount = 0;
    double least_latency = infinity;

    void add(double more, double latency) {
        amount += more;
        least_latency = std::min(least_latency, latency);
    }
    [[nodiscard]] double over(double rate) const {
        return amount > 0 ? amount / rate + least_latency : 0;
    }
};

}  // namespace

double exchange_bound(const Problem& problem) {
    std::vector<Load> sends(problem.nodes());
    std::vector<Load> receives(problem.nodes());
    const auto capacities = problem.fabric->capacities();
    std::vector<Load> shared(capacities.size());
    double bound = 0;
    for (const Message& message : problem.messages) {
        bound = std::max(bound, message.duration());
        sends[message.from].add(message.gap, message.latency);
        receives[message.to].add(message.gap, message.latency);
        for (const auto c : problem.fabric->draws(message.from, message.to))
            shared[c].add(static_cast<double>(message.bytes.value), message.latency);
    }
    for (const auto* loads : {&sends, &receives})
        for (const Load& load : *loads)
            bound = std::max(bound, load.over(static_cast<double>(problem.ports)));
    for (std::size_t c = 0; c < shared.size(); ++c)
        bound = std::max(bound, shared[c].over(capacities[c].limit));
    return bound;
}

}  // namespace espalier::plan::exchange
