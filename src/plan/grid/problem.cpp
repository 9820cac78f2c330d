#include "plan/grid/problem.hpp"

#include <algorithm>
#include <cassert>

namespace espalier::plan::grid {

double makespan(const Problem& problem, const Order& order) {
    assert(problem.root < problem.size() && order.size() + 1 == problem.size());
    std::vector<double> ready(problem.size(), 0);
    std::vector<char> holds(problem.size(), 0);
    holds[problem.root] = 1;
    for (const auto [from, to] : order) {
        assert(holds[from] && !holds[to]);
        ready[to] = ready[from] + problem.delivery(from, to);
        ready[from] += problem.gap(from, to);
        holds[to] = 1;
    }
    double last = 0;
    for (std::size_t i = 0; i < problem.size(); ++i)
        last = std::max(last, ready[i] + problem.inner[i]);
    return last;
}

}  // namespace espalier::plan::grid
