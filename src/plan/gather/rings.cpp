#include "plan/gather/rings.hpp"

#include "plan/gather/bound.hpp"
#include "plan/gather/improve.hpp"
#include "simulate/node_classes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace espalier::plan::gather {

namespace {

/// Of looking at one node of a ring.
constexpr std::uint64_t steps_a_place = 10;

Order in_order(std::size_t nodes) {
    Order order(nodes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

/// Of looking at every ring once.
double steps_of_all(std::size_t nodes) {
    return std::tgamma(static_cast<double>(nodes)) * static_cast<double>(nodes * steps_a_place);
}

Order best_of_all(const Problem& problem, Aim aim, Meter& meter) {
    meter.spend(static_cast<std::uint64_t>(steps_of_all(problem.nodes())));
    Order order = in_order(problem.nodes());
    Order best = order;
    Value least = value_of(problem, order);
    while (std::next_permutation(order.begin() + 1, order.end())) {
        const Value value = value_of(problem, order);
        if (!better(aim, value, least)) continue;
        best = order;
        least = value;
    }
    return best;
}

Order plan_ring(const Problem& problem, Aim aim, Meter& meter);

/// Like nodes side by side, in the order of a good ring between one of each; empty where no two are
/// alike.
Order side_by_side(const Problem& problem, Aim aim, Meter& meter) {
    const std::size_t nodes = problem.nodes();
    meter.spend(nodes * nodes);
    const auto classes = simulate::find_classes(
        std::vector<double>(nodes, 0), nodes - 1, [&](std::size_t u, std::size_t v) {
            return std::pair(problem.step(u, v), problem.hop(u, v));
        });
    if (!classes) return {};
    const auto& members = classes->members;
    Problem between{problem.fabric,
                    problem.block,
                    Matrix<double>(members.size(), members.size(), 0),
                    Matrix<double>(members.size(), members.size(), 0),
                    {}};
    for (std::size_t a = 0; a < members.size(); ++a)
        for (std::size_t b = 0; b < members.size(); ++b) {
            between.step(a, b) = problem.step(members[a].front(), members[b].front());
            between.hop(a, b) = problem.hop(members[a].front(), members[b].front());
        }
    Order order;
    for (const std::size_t c : plan_ring(between, aim, meter))
        order.insert(order.end(), members[c].begin(), members[c].end());
    return order;
}

/// From which nodes rings of nearest neighbours begin.
constexpr std::size_t most_starts = 16;

/// Of the network's own order and rings of nearest neighbours, from as many first nodes as the
/// meter allows.
Order best_start(const Problem& problem, Aim aim, Meter& meter) {
    Order best = in_order(problem.nodes());
    Value least = value_of(problem, best);
    const std::size_t stride = (problem.nodes() + most_starts - 1) / most_starts;
    for (std::size_t first = 0; first < problem.nodes() && !meter.over(); first += stride) {
        meter.spend(problem.nodes() * problem.nodes());
        Order order = nearest_neighbours(problem, aim, first);
        const Value value = value_of(problem, order);
        if (!better(aim, value, least)) continue;
        best = std::move(order);
        least = value;
    }
    return best;
}

Order plan_ring(const Problem& problem, Aim aim, Meter& meter) {
    const std::size_t nodes = problem.nodes();
    if (nodes < 3) return in_order(nodes);
    if (meter.affords(steps_of_all(nodes))) return best_of_all(problem, aim, meter);
    Order start = meter.lend(0.5, [&](Meter& half) { return side_by_side(problem, aim, half); });
    // A good ring between classes is as good as can be where no shared capacity makes it slower.
    if (!start.empty() &&
        (aim == Aim::sum || value_of(problem, start).slowest <= slowest_step_bound(problem, meter)))
        return descend(problem, aim, std::move(start), meter);
    if (start.empty())
        start = meter.lend(0.5, [&](Meter& half) { return best_start(problem, aim, half); });
    return improve(problem, aim, std::move(start), meter);
}

}  // namespace

Order by_slowest_step(const Problem& problem, Meter& meter) {
    return plan_ring(problem, Aim::slowest, meter);
}

Order by_sum(const Problem& problem, Meter& meter) { return plan_ring(problem, Aim::sum, meter); }

Order in_rank_order(const Problem& problem, Meter&) { return in_order(problem.nodes()); }

}  // namespace espalier::plan::gather
