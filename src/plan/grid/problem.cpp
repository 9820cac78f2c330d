#include "plan/grid/problem.hpp"

#include "plan/grid/ports.hpp"

#include <algorithm>
#include <cassert>

namespace espalier::plan::grid {
namespace {

/// Calls `sent(send, end)` with the time at which each send leaves its port; returns all ports as
/// they are left.
template <typename Sent>
SendPorts perform(const Problem& problem, const Order& order, Sent sent) {
    assert(problem.root < problem.size() && order.size() + 1 == problem.size());
    SendPorts ports(problem.size(), problem.ports);
    std::vector<char> holds(problem.size(), 0);
    holds[problem.root] = 1;
    for (const Send& send : order) {
        const auto [from, to] = send;
        assert(holds[from] && !holds[to]);
        sent(send, ports.serve(problem, send));
        holds[to] = 1;
    }
    return ports;
}

}  // namespace

double makespan(const Problem& problem, const Order& order) {
    const SendPorts ports = perform(problem, order, [](const Send&, double) {});
    double last = 0;
    for (std::size_t i = 0; i < problem.size(); ++i)
        last = std::max(last, ports.idle(i) + problem.inner[i]);
    return last;
}

Order by_end_of_sending(const Problem& problem, const Order& order) {
    struct Timed {
        Send send;
        double end;
    };
    std::vector<Timed> timed;
    static_cast<void>(perform(problem, order, [&](const Send& send, double end) {
        timed.push_back({send, end});
    }));
    std::ranges::stable_sort(timed, {}, &Timed::end);
    Order sorted;
    for (const Timed& each : timed) sorted.push_back(each.send);
    return sorted;
}

}  // namespace espalier::plan::grid
