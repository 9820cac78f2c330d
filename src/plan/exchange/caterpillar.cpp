#include "plan/exchange/caterpillar.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace espalier::plan::exchange {

namespace {

/// How far the receiver is from the sender, in steps.
std::size_t step_of(const Problem& problem, std::size_t message) {
    const std::size_t nodes = problem.nodes();
    return (problem.messages[message].to + nodes - problem.messages[message].from) % nodes;
}

}  // namespace

Found caterpillar(const Problem& problem, const Limits&) {
    std::vector<std::size_t> messages(problem.messages.size());
    std::iota(messages.begin(), messages.end(), std::size_t{0});
    std::ranges::stable_sort(messages, {}, [&](std::size_t m) { return step_of(problem, m); });
    Found found;
    for (const std::size_t message : messages) found.order.push_back(direct(problem, message));
    return found;
}

Found far_first(const Problem& problem, const Limits& limits) {
    Found found = caterpillar(problem, limits);
    std::ranges::stable_sort(found.order, std::greater{},
                             [&](const Hop& hop) { return problem.messages[hop.message].latency; });
    return found;
}

Found caterpillar_barrier(const Problem& problem, const Limits& limits) {
    Found found = caterpillar(problem, limits);
    for (std::size_t h = 1; h < found.order.size(); ++h)
        if (step_of(problem, found.order[h].message) !=
            step_of(problem, found.order[h - 1].message))
            found.barriers.push_back(h);
    return found;
}

}  // namespace espalier::plan::exchange
