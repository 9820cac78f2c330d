#include "plan/bounds/nodes.hpp"

#include "simulate/shortest_paths.hpp"

#include <algorithm>

namespace espalier::plan::bounds {

double farthest_path(const Matrix<Link>& links, const Demand& demand,
                     const std::vector<double>& after, Meter& meter) {
    const std::size_t nodes = links.rows();
    const std::size_t looked_at =
        demand.has_root() ? 1
                          : std::clamp<std::size_t>(meter.work_left() / (nodes * nodes), 1, nodes);
    meter.spend(looked_at * nodes * nodes);
    double farthest = 0;
    for (std::size_t n = 0; n < looked_at; ++n) {
        const std::size_t from = demand.has_root() ? demand.root() : n * nodes / looked_at;
        const auto reached = simulate::shortest_paths(
            nodes, from,
            [&](std::size_t u, std::size_t v) { return u == v ? 0.0 : links(u, v).hop(); });
        for (std::size_t to = 0; to < nodes; ++to)
            if (demand.must_reach(from, to) && reached[to] < never)
                farthest = std::max(farthest, reached[to] + (after.empty() ? 0 : after[to]));
    }
    return farthest;
}

double busiest_ports(const Matrix<Link>& links, const Demand& demand, std::size_t ports) {
    const std::size_t nodes = links.rows();
    const auto k = static_cast<double>(ports);
    double busiest = 0;
    for (std::size_t node = 0; node < nodes; ++node) {
        double sending = never;
        double receiving = never;
        double out = never;
        double in = never;
        for (std::size_t other = 0; other < nodes; ++other) {
            if (other == node) continue;
            const Link& to = links(node, other);
            const Link& from = links(other, node);
            if (to.exists()) {
                sending = std::min(sending, to.work(demand.out_of(node)));
                out = std::min(out, to.latency);
            }
            if (from.exists()) {
                receiving = std::min(receiving, from.work(demand.into(node)));
                in = std::min(in, from.latency);
            }
        }
        if (demand.out_of(node) > 0 && out < never) busiest = std::max(busiest, out + sending / k);
        if (demand.into(node) > 0 && in < never) busiest = std::max(busiest, in + receiving / k);
    }
    return busiest;
}

}  // namespace espalier::plan::bounds
