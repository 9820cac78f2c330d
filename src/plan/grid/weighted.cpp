#include "plan/grid/weighted.hpp"

#include "core/infinity.hpp"
#include "plan/grid/ports.hpp"
#include "plan/grow.hpp"

namespace espalier::plan::grid {

std::optional<Order> weighted_order(const Problem& problem, const Weights& weights,
                                    double deadline) {
    SendPorts ports(problem.size(), problem.ports);
    Order order;
    order.reserve(problem.size());
    const auto key = [&](std::size_t from, std::size_t to) {
        const double ready = ports.ready(from);
        const double receipt = ready + problem.delivery(from, to);
        if (receipt + problem.inner[to] > deadline ||
            ready + problem.gap(from, to) + problem.inner[from] > deadline)
            return infinity;
        return receipt - weights.receiver * problem.inner[to] +
               weights.sender * problem.inner[from];
    };
    const auto join = [&](std::size_t from, std::size_t to) {
        ports.serve(problem, {.from = from, .to = to});
        order.push_back({.from = from, .to = to});
    };
    if (!grow_tree(Growth(problem.root, all_but(problem.root, problem.size()), key), join))
        return std::nullopt;
    return order;
}

}  // namespace espalier::plan::grid
