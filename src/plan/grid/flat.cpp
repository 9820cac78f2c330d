#include "plan/grid/flat.hpp"

namespace espalier::plan::grid {

Order flat(const Problem& problem) {
    const std::size_t n = problem.size();
    Order order;
    for (std::size_t step = 1; step < n; ++step)
        order.push_back({.from = problem.root, .to = (problem.root + step) % n});
    return order;
}

}  // namespace espalier::plan::grid
