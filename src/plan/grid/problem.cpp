#include "plan/grid/problem.hpp"

#include "plan/grid/ports.hpp"

#include <algorithm>
#include <cassert>

namespace espalier::plan::grid {

double makespan(const Problem& problem, const Order& order) {
    assert(problem.root < problem.size() && order.size() + 1 == problem.size());
    SendPorts ports(problem.size(), problem.ports);
    std::vector<char> holds(problem.size(), 0);
    holds[problem.root] = 1;
    for (const auto [from, to] : order) {
        assert(holds[from] && !holds[to]);
        const double start = ports.ready(from);
        ports.join(to, start + problem.delivery(from, to));
        ports.send(from, start + problem.gap(from, to));
        holds[to] = 1;
    }
    double last = 0;
    for (std::size_t i = 0; i < problem.size(); ++i)
        last = std::max(last, ports.idle(i) + problem.inner[i]);
    return last;
}

}  // namespace espalier::plan::grid
