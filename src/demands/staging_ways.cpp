#include "demands/staging_ways.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <limits>

namespace espalier::demands {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Matrices of costs that are kept; beyond these sizes every cost is asked for anew.
constexpr std::size_t most_sizes = 16;

}  // namespace

Ways::Cost Ways::find_cost(std::size_t from, std::size_t to, Bytes bytes) const {
    try {
        const auto cost = problem_.fabric->cost(from, to, bytes);
        return {cost.gap.value, cost.latency.value};
    } catch (const InputError&) {
        return {never, 0};  // nobody knows this link, so no way leads over it
    }
}

Ways::Cost Ways::cost(std::size_t from, std::size_t to, Bytes bytes) {
    const std::size_t nodes = problem_.nodes();
    auto found = known_.find(bytes.value);
    if (found == known_.end()) {
        if (known_.size() == most_sizes) return find_cost(from, to, bytes);
        std::vector<Cost> costs(nodes * nodes);
        for (std::size_t u = 0; u < nodes; ++u)
            for (std::size_t v = 0; v < nodes; ++v)
                if (u != v) costs[u * nodes + v] = find_cost(u, v, bytes);
        found = known_.emplace(bytes.value, std::move(costs)).first;
    }
    return found->second[from * nodes + to];
}

Ways::Leg Ways::straight(const Calendar& calendar, std::size_t message) const {
    const Message& what = problem_.messages[message];
    return {direct(problem_, message), calendar.find(what.from, what.to, what.gap, what.latency, 0),
            what.gap, what.latency};
}

std::vector<Ways::Leg> Ways::quickest(const Calendar& calendar, std::size_t message) {
    const std::size_t nodes = problem_.nodes();
    const Message& what = problem_.messages[message];
    std::vector<double> held(nodes, never);
    std::vector<Leg> last(nodes);
    std::vector<char> settled(nodes, 0);
    held[what.from] = 0;
    last[what.to] = straight(calendar, message);
    held[what.to] = last[what.to].end();
    while (true) {
        std::size_t next = nodes;
        for (std::size_t node = 0; node < nodes; ++node)
            if (settled[node] == 0 && (next == nodes || held[node] < held[next])) next = node;
        if (next == nodes || held[next] >= held[what.to]) break;
        settled[next] = 1;
        for (std::size_t node = 0; node < nodes; ++node) {
            if (settled[node] != 0) continue;
            const Cost hop = cost(next, node, what.bytes);
            const double soonest = held[next] + hop.gap + hop.latency;
            if (soonest >= held[node] || soonest >= held[what.to]) continue;
            const Leg leg{{message, next, node},
                          calendar.find(next, node, hop.gap, hop.latency, held[next]),
                          hop.gap,
                          hop.latency};
            if (leg.end() >= held[node] || leg.end() >= held[what.to]) continue;
            held[node] = leg.end();
            last[node] = leg;
        }
    }
    std::vector<Leg> way;
    for (std::size_t node = what.to; node != what.from; node = way.back().hop.from)
        way.push_back(last[node]);
    std::ranges::reverse(way);
    return way;
}

}  // namespace espalier::demands
