#include "plan/gather/problem.hpp"

#include <algorithm>
#include <cassert>

namespace espalier::plan::gather {

Problem make_problem(const simulate::Fabric& fabric, Bytes block) {
    const std::size_t nodes = fabric.nodes();
    Problem problem{
        &fabric, block, Matrix<double>(nodes, nodes, 0), Matrix<double>(nodes, nodes, 0), {}};
    for (const simulate::Capacity& capacity : fabric.capacities())
        problem.crossing.push_back(static_cast<double>(block.value) / capacity.limit);
    for (std::size_t from = 0; from < nodes; ++from)
        for (std::size_t to = 0; to < nodes; ++to) {
            if (from == to) continue;
            const simulate::MessageCost cost = fabric.cost(from, to, block);
            double step = cost.gap.value;
            for (const std::uint32_t c : fabric.draws(from, to))
                step = std::max(step, problem.crossing[c]);
            problem.step(from, to) = step;
            problem.hop(from, to) = step + cost.latency.value;
        }
    return problem;
}

Value value_of(const Problem& problem, const Order& order) {
    assert(order.size() == problem.nodes());
    Value value;
    if (order.size() < 2) return value;
    std::vector<std::size_t> crossings(problem.crossing.size(), 0);
    for (std::size_t place = 0; place < order.size(); ++place) {
        const std::size_t from = order[place];
        const std::size_t to = order[(place + 1) % order.size()];
        value.slowest = std::max(value.slowest, problem.step(from, to));
        value.sum += problem.hop(from, to);
        for (const std::uint32_t c : problem.draws(from, to)) ++crossings[c];
    }
    for (std::size_t c = 0; c < crossings.size(); ++c)
        value.slowest =
            std::max(value.slowest, static_cast<double>(crossings[c]) * problem.crossing[c]);
    return value;
}

}  // namespace espalier::plan::gather
