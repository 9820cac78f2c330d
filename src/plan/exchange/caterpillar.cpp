#include "plan/exchange/caterpillar.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace espalier::plan::exchange {

namespace {

/// How far the receiver is from the sender, in steps.
std::size_t step_of(const Problem& problem, std::size_t message) {
    const std::size_t nodes = problem.nodes();
    return (problem.messages[message].to + nodes - problem.messages[message].from) % nodes;
}

}  // namespace

Found caterpillar(const Problem& problem, Meter&) {
    std::vector<std::size_t> messages(problem.messages.size());
    std::iota(messages.begin(), messages.end(), std::size_t{0});
    std::ranges::stable_sort(messages, {}, [&](std::size_t m) { return step_of(problem, m); });
    return {.order = std::move(messages)};
}

Found caterpillar_barrier(const Problem& problem, Meter& meter) {
    Found found = caterpillar(problem, meter);
    for (std::size_t place = 1; place < found.order.size(); ++place)
        if (step_of(problem, found.order[place]) != step_of(problem, found.order[place - 1]))
            found.barriers.push_back(place);
    return found;
}

}  // namespace espalier::plan::exchange
