#include "plan/gather/enumeration.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace espalier::plan::gather {

Order best_of_all(const Problem& problem, Aim aim) {
    assert(problem.nodes() <= most_enumerated);
    Order order(problem.nodes());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() < 3) return order;
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

}  // namespace espalier::plan::gather
