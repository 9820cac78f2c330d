#include "plan/node/problem.hpp"

#include <map>
#include <numeric>

namespace espalier::plan::node {

std::uint64_t Problem::nodes() const {
    return std::accumulate(
        classes.begin(), classes.end(), std::uint64_t{0},
        [](std::uint64_t sum, const Class& members) { return sum + members.count; });
}

Problem make_problem(const network::SenderNetwork& network, schedule::Kind kind,
                     std::optional<std::size_t> root, std::size_t ports) {
    std::map<double, std::uint64_t> counts;
    for (const auto& members : network.classes) counts[members.transmission_time] += members.count;
    Problem problem{.kind = kind, .classes = {}, .root = {}, .ports = ports};
    problem.classes.reserve(counts.size());
    for (const auto& [time, count] : counts) problem.classes.push_back({time, count});
    if (root) {
        const auto at = counts.find(network.class_of(*root).transmission_time);
        problem.root = static_cast<std::size_t>(std::distance(counts.begin(), at));
    } else if (!problem.is_broadcast()) {
        problem.root = problem.classes.size() - 1;
    }
    return problem;
}

}  // namespace espalier::plan::node
