#include "plan/grid/weighted.hpp"

#include "plan/grid/ports.hpp"
#include "plan/grow.hpp"

namespace espalier::plan::grid {

Order weighted_order(const Problem& problem, const Weights& weights) {
    SendPorts ports(problem.size(), problem.ports);
    Order order;
    order.reserve(problem.size());
    const auto key = [&](std::size_t from, std::size_t to) {
        return ports.ready(from) + problem.delivery(from, to) -
               weights.receiver * problem.inner[to] + weights.sender * problem.inner[from];
    };
    grow_tree(Growth(problem.root, all_but(problem.root, problem.size()), key),
              [&](std::size_t from, std::size_t to) {
                  ports.serve(problem, {.from = from, .to = to});
                  order.push_back({.from = from, .to = to});
              });
    return order;
}

}  // namespace espalier::plan::grid
