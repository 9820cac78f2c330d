#include "plan/gather/rings.hpp"

#include "core/meter.hpp"
#include "plan/gather/aim.hpp"
#include "plan/gather/bound.hpp"
#include "plan/gather/improve.hpp"
#include "plan/gather/walks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
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

/// From which nodes rings of nearest neighbours begin.
constexpr std::size_t most_starts = 16;

/// Where no walk is known: of the network's own order and rings of nearest neighbours, from as many
/// first nodes as the meter allows.
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

Found plan_ring(const Problem& problem, Aim aim, Meter& meter) {
    const std::size_t nodes = problem.nodes();
    if (nodes < 2) return {in_order(nodes), 0};
    Found found;
    if (meter.affords(steps_of_all(nodes))) {
        found.order = best_of_all(problem, aim, meter);
        if (aim == Aim::slowest) found.slowest_bound = value_of(problem, found.order).slowest;
        return found;
    }
    std::optional<Walk> walk = best_walk(problem, aim);
    found.order =
        walk ? std::move(walk->order)
             : meter.lend(0.5, [&](Meter& half) { return best_start(problem, aim, half); });
    if (aim == Aim::slowest)
        found.slowest_bound = walk && walk->is_least
                                  ? slowest_between_neighbours(problem, found.order)
                                  : slowest_step_bound(problem, meter);
    // A walk between classes is as good as can be where no shared capacity makes it slower.
    const bool is_done =
        walk && (aim == Aim::sum || value_of(problem, found.order).slowest <= found.slowest_bound);
    found.order = is_done ? descend(problem, aim, std::move(found.order), meter)
                          : improve(problem, aim, std::move(found.order), meter);
    return found;
}

}  // namespace

Found by_slowest_step(const Problem& problem, Meter& meter) {
    return plan_ring(problem, Aim::slowest, meter);
}

Found by_sum(const Problem& problem, Meter& meter) { return plan_ring(problem, Aim::sum, meter); }

Found in_rank_order(const Problem& problem, Meter&) { return {in_order(problem.nodes()), 0}; }

}  // namespace espalier::plan::gather
