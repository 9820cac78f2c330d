#include "plan/node/tick_problem.hpp"

#include <numeric>

namespace espalier::plan::node {

std::uint64_t TickProblem::nodes() const {
    return std::accumulate(count.begin(), count.end(), std::uint64_t{0});
}

TickProblem in_ticks(const Problem& problem, const Clock& clock) {
    TickProblem result{.kind = problem.kind,
                       .time = clock.time,
                       .count = {},
                       .root = problem.root,
                       .ports = problem.ports};
    result.count.reserve(problem.classes.size());
    for (const auto& members : problem.classes) result.count.push_back(members.count);
    return result;
}

}  // namespace espalier::plan::node
