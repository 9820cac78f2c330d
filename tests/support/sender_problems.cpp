#include "support/sender_problems.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::test {

using sender::Problem;

Problem random_nodes(Random& random, schedule::Kind kind, const RandomNodes& shape) {
    std::vector<double> table(shape.classes);
    for (double& time : table) {
        time = random.uniform(1, shape.real ? shape.slowest : shape.slowest + 1);
        if (!shape.real) time = std::floor(time);
    }
    std::vector<double> times(shape.least + random.below(shape.most - shape.least + 1));
    for (double& time : times) time = table[random.below(table.size())];
    const bool given = kind == schedule::Kind::reduce || !shape.any_root;
    const double root = times[random.below(times.size())];
    return nodes_of(kind, times, given ? std::optional(root) : std::nullopt, shape.ports);
}

network::SenderNetwork network_of(const Problem& problem) {
    network::SenderNetwork network;
    for (std::size_t c = 0; c < problem.classes.size(); ++c)
        network.classes.push_back(
            {"c" + std::to_string(c), problem.classes[c].time, problem.classes[c].count, false});
    return network;
}

std::optional<std::size_t> root_of(const Problem& problem) {
    if (!problem.root) return std::nullopt;
    std::size_t first = 0;
    for (std::size_t c = 0; c < *problem.root; ++c) first += problem.classes[c].count;
    return first;
}

network::SenderNetwork listed(const std::vector<double>& times) {
    network::SenderNetwork network;
    for (std::size_t i = 0; i < times.size(); ++i)
        network.classes.push_back({"p" + std::to_string(i), times[i], 1, true});
    return network;
}

Problem nodes_of(schedule::Kind kind, const std::vector<double>& times,
                 std::optional<double> root_time, std::size_t ports) {
    std::optional<std::size_t> root;
    if (root_time)
        root = static_cast<std::size_t>(std::ranges::find(times, *root_time) - times.begin());
    return sender::make_problem(listed(times), kind, root, ports);
}

}  // namespace espalier::test
