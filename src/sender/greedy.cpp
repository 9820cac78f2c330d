#include "sender/greedy.hpp"

#include <algorithm>

namespace espalier::sender {

namespace {

Result in_order_of_time(const Problem& problem, bool fastest_first) {
    Result result;
    result.sequence.root = problem.root.value_or(0);
    for (std::size_t c = 0; c < problem.classes.size(); ++c) {
        const std::uint64_t root = c == result.sequence.root ? 1 : 0;
        if (const std::uint64_t count = problem.classes[c].count - root; count > 0)
            result.sequence.runs.push_back({c, count});
    }
    if (!fastest_first) std::ranges::reverse(result.sequence.runs);
    result.makespan = makespan_of(problem, result.sequence);
    result.optimal = problem.nodes() == 1;
    return result;
}

}  // namespace

Result fastest_node_first(const Problem& problem, const Limits&) {
    return in_order_of_time(problem, true);
}

Result slowest_node_first(const Problem& problem, const Limits&) {
    return in_order_of_time(problem, false);
}

Result greedy(const Problem& problem) { return in_order_of_time(problem, problem.is_broadcast()); }

}  // namespace espalier::sender
