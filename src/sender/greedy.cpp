#include "sender/greedy.hpp"

#include <algorithm>
#include <utility>

namespace espalier::sender {

namespace {

Result result_of(const Problem& problem, Sequence sequence) {
    Result result{.sequence = std::move(sequence)};
    result.makespan = makespan_of(problem, result.sequence);
    result.optimal = problem.nodes() == 1;
    return result;
}

}  // namespace

Result fastest_node_first(const Problem& problem, const Limits&) {
    return result_of(problem, fastest_first(problem));
}

Result slowest_node_first(const Problem& problem, const Limits&) {
    Sequence sequence = fastest_first(problem);
    std::ranges::reverse(sequence.runs);
    return result_of(problem, std::move(sequence));
}

Result greedy(const Problem& problem, const Limits& limits) {
    return problem.is_broadcast() ? fastest_node_first(problem, limits)
                                  : slowest_node_first(problem, limits);
}

}  // namespace espalier::sender
