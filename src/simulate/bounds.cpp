#include "simulate/bounds.hpp"

#include "simulate/shortest_ways.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

namespace espalier::simulate {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// When n nodes can hold a message at the earliest if a send occupies a port for `gap` and delivers
/// after `delivery`, between any two.
double postal_time(std::size_t nodes, double gap, double delivery, std::size_t ports) {
    std::priority_queue<double, std::vector<double>, std::greater<>> next_delivery;
    const std::size_t used = std::min(ports, nodes);
    for (std::size_t port = 0; port < used; ++port) next_delivery.push(delivery);
    double last = 0;
    for (std::size_t holding = 1; holding < nodes; ++holding) {
        last = next_delivery.top();
        next_delivery.pop();
        next_delivery.push(last + gap);  // the same port again
        for (std::size_t port = 0; port < used; ++port)
            next_delivery.push(last + delivery);  // and those of the node that it has just served
    }
    return last;
}

double whole_message_bound(const Fabric& fabric, std::size_t root, Bytes bytes,
                           std::span<const Seconds> inner, std::size_t ports) {
    const std::size_t nodes = fabric.nodes();
    const auto delivery = [&](std::size_t u, std::size_t v) {
        const MessageCost cost = fabric.cost(u, v, bytes);
        return (cost.gap + cost.latency).value;
    };
    const auto reach = shortest_ways(nodes, root, delivery);
    double least_gap = infinite;
    double least_delivery = infinite;
    for (std::size_t u = 0; u < nodes; ++u)
        for (std::size_t v = 0; v < nodes; ++v) {
            if (u == v || v == root) continue;
            least_gap = std::min(least_gap, fabric.cost(u, v, bytes).gap.value);
            least_delivery = std::min(least_delivery, delivery(u, v));
        }
    double bound = nodes > 1 ? postal_time(nodes, least_gap, least_delivery, ports) : 0;
    for (std::size_t v = 0; v < nodes; ++v)
        bound = std::max(bound, reach[v] + (inner.empty() ? 0 : inner[v].value));
    return bound;
}

double any_bound(const Fabric& fabric, std::size_t root, Bytes bytes,
                 std::span<const Seconds> inner, std::size_t ports) {
    const std::size_t nodes = fabric.nodes();
    const double size = static_cast<double>(bytes.value) / static_cast<double>(ports);  // of a port
    const auto reach = shortest_ways(nodes, root, [&](std::size_t u, std::size_t v) {
        return fabric.floor(u, v, bytes).latency.value;
    });
    double bound = 0;
    double root_per_byte = infinite;
    double root_latency = infinite;
    for (std::size_t v = 0; v < nodes; ++v) {
        const double after = inner.empty() ? 0 : inner[v].value;
        if (v == root) {
            bound = std::max(bound, after);
            continue;
        }
        double per_byte = infinite;
        for (std::size_t u = 0; u < nodes; ++u)
            if (u != v) per_byte = std::min(per_byte, fabric.floor(u, v, bytes).seconds_per_byte);
        const auto from_root = fabric.floor(root, v, bytes);
        root_per_byte = std::min(root_per_byte, from_root.seconds_per_byte);
        root_latency = std::min(root_latency, from_root.latency.value);
        bound = std::max(bound, reach[v] + per_byte * size + after);
    }
    return nodes > 1 ? std::max(bound, root_per_byte * size + root_latency) : bound;
}

}  // namespace

Seconds broadcast_bound(const Fabric& fabric, std::size_t root, Bytes bytes,
                        schedule::BoundScope scope, std::span<const Seconds> inner,
                        std::size_t ports) {
    return Seconds(scope == schedule::BoundScope::whole_message
                       ? whole_message_bound(fabric, root, bytes, inner, ports)
                       : any_bound(fabric, root, bytes, inner, ports));
}

}  // namespace espalier::simulate
