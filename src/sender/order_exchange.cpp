#include "sender/order_exchange.hpp"

#include "core/random.hpp"

#include <algorithm>
#include <vector>

namespace espalier::sender {

namespace {

constexpr std::size_t rounds_until_kick = 400;
constexpr std::size_t exchanges_of_a_kick = 3;

/// Swaps two nodes, or moves one.
void exchange(std::vector<Run>& order, Random& random) {
    const std::size_t a = random.below(order.size());
    const std::size_t b = random.below(order.size());
    const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
    if (random.uniform() < 0.5)
        std::swap(order[a], order[b]);
    else if (a < b)
        std::rotate(at(a), at(a) + 1, at(b) + 1);
    else
        std::rotate(at(b), at(a), at(a) + 1);
}

}  // namespace

Sequence exchange_orders(const Problem& problem, std::span<const Ticks> time, const Sequence& start,
                         std::size_t rounds, std::uint64_t seed, const Meter& meter) {
    Sequence best{.root = start.root, .runs = {}};
    for (const Run& run : start.runs)
        for (std::uint64_t i = 0; i < run.count; ++i) best.runs.push_back({run.class_index, 1});
    if (best.runs.size() < 2) return best;
    Random random(seed);
    Ticks least = run_course(problem, best, time).makespan;
    Sequence current = best;
    Ticks makespan = least;
    std::size_t since = 0;
    for (std::size_t round = 0; round < rounds && !meter.over(); ++round) {
        Sequence next = current;
        const bool kick = ++since > rounds_until_kick;
        if (kick) {
            next = best;
            for (std::size_t i = 0; i < exchanges_of_a_kick; ++i) exchange(next.runs, random);
            since = 0;
        } else {
            exchange(next.runs, random);
        }
        const Ticks reached = run_course(problem, next, time).makespan;
        if (reached > makespan && !kick) continue;
        if (reached < makespan) since = 0;
        makespan = reached;
        current = std::move(next);
        if (makespan < least) {
            least = makespan;
            best = current;
        }
    }
    return best;
}

}  // namespace espalier::sender
