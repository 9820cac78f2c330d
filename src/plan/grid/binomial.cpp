#include "plan/grid/binomial.hpp"

#include <vector>

namespace espalier::plan::grid {

void append_binomial(std::span<const std::size_t> members, Order& order) {
    for (std::size_t holding = 1; holding < members.size(); holding *= 2)
        for (std::size_t i = 0; i < holding && i + holding < members.size(); ++i)
            order.push_back({.from = members[i], .to = members[i + holding]});
}

Order binomial(const Problem& problem) {
    const std::size_t n = problem.size();
    std::vector<std::size_t> members(n);
    for (std::size_t step = 0; step < n; ++step) members[step] = (problem.root + step) % n;
    Order order;
    append_binomial(members, order);
    return order;
}

}  // namespace espalier::plan::grid
