#include "plan/gather/rings.hpp"

#include "core/meter.hpp"
#include "plan/gather/aim.hpp"
#include "plan/gather/bound.hpp"
#include "plan/gather/improve.hpp"
#include "plan/gather/walks.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace espalier::plan::gather {

namespace {

/// From which nodes rings of nearest neighbours begin.
constexpr std::size_t most_starts = 16;
/// Up to this many nodes, all rings can be tried: 7! = 5040 at most.
constexpr std::size_t most_enumerated = 8;

Order in_order(std::size_t nodes) {
    Order order(nodes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

Order best_of_all(const Problem& problem, Aim aim) {
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

/// Where no walk is known.
Order best_start(const Problem& problem, Aim aim) {
    Order best = in_order(problem.nodes());
    Value least = value_of(problem, best);
    const std::size_t stride = (problem.nodes() + most_starts - 1) / most_starts;
    for (std::size_t first = 0; first < problem.nodes(); first += stride) {
        Order order = nearest_neighbours(problem, aim, first);
        const Value value = value_of(problem, order);
        if (!better(aim, value, least)) continue;
        best = std::move(order);
        least = value;
    }
    return best;
}

Found plan_ring(const Problem& problem, Aim aim, const Limits& limits) {
    const std::size_t nodes = problem.nodes();
    if (nodes < 2) return {in_order(nodes), 0};
    Found found;
    if (nodes <= most_enumerated) {
        found.order = best_of_all(problem, aim);
        if (aim == Aim::slowest) found.slowest_bound = value_of(problem, found.order).slowest;
        return found;
    }
    Meter meter(limits);
    std::optional<Walk> walk = best_walk(problem, aim);
    found.order = walk ? std::move(walk->order) : best_start(problem, aim);
    if (aim == Aim::slowest)
        found.slowest_bound = walk && walk->is_least
                                  ? slowest_between_neighbours(problem, found.order)
                                  : slowest_step_bound(problem);
    // A walk between classes is as good as can be where no shared capacity makes it slower.
    const bool is_done =
        walk && (aim == Aim::sum || value_of(problem, found.order).slowest <= found.slowest_bound);
    found.order = is_done ? descend(problem, aim, std::move(found.order), meter)
                          : improve(problem, aim, std::move(found.order), meter);
    return found;
}

}  // namespace

Found by_slowest_step(const Problem& problem, const Limits& limits) {
    return plan_ring(problem, Aim::slowest, limits);
}

Found by_sum(const Problem& problem, const Limits& limits) {
    return plan_ring(problem, Aim::sum, limits);
}

Found in_rank_order(const Problem& problem, const Limits&) {
    return {in_order(problem.nodes()), 0};
}

}  // namespace espalier::plan::gather
