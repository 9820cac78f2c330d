#include "simulate/bounds.hpp"

#include "core/infinity.hpp"
#include "simulate/node_classes.hpp"
#include "simulate/shortest_paths.hpp"
#include "simulate/slot_prices.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace espalier::simulate {

namespace {

/// When n nodes can hold a message at the earliest if, between any two, a send occupies a port for
/// `gap` and delivers after `delivery`.
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

/// With more nodes these are not sorted into classes, and with more classes these are not priced,
/// since it would take long.
constexpr std::size_t most_classified = 2048;
constexpr std::size_t most_classes = 64;
/// The cells of its tables that the search for prices may fill, some 3 ms.
constexpr std::size_t most_cells = 8'000'000;
constexpr PricingEffort pricing_effort{60, 512, 2048, most_cells};

/// The bound of slot prices where `cost` and the times after receipt and after sending are the
/// least that nodes have to count with; `from` is a bound already.
template <typename Cost>
double priced_bound(std::size_t root, const std::vector<double>& after_receipt, bool after_send,
                    std::size_t ports, double from, Cost cost) {
    if (after_receipt.size() < 3 || after_receipt.size() > most_classified) return from;
    const auto classes = find_classes(after_receipt, most_classes, [&](auto u, auto v) {
        const MessageCost found = cost(u, v);
        return std::pair(found.gap.value, found.latency.value);
    });
    if (!classes) return from;
    const std::size_t size = classes->members.size();
    ClassedBroadcast problem;
    problem.gap = Matrix<double>(size, size, 0);
    problem.delivery = Matrix<double>(size, size, 0);
    problem.root = classes->class_of[root];
    problem.ports = std::min(ports, after_receipt.size());
    for (std::size_t i = 0; i < size; ++i) {
        const auto& senders = classes->members[i];
        problem.count.push_back(senders.size());
        problem.after_receipt.push_back(after_receipt[senders.front()]);
        for (std::size_t j = 0; j < size; ++j) {
            const auto& receivers = classes->members[j];
            if (i == j && receivers.size() == 1) continue;
            const MessageCost found = cost(senders.front(), receivers.back());
            problem.gap(i, j) = found.gap.value;
            problem.delivery(i, j) = (found.gap + found.latency).value;
        }
    }
    problem.after_send = after_send ? problem.after_receipt : std::vector<double>(size, 0.0);
    return find_prices(problem, from, infinity, pricing_effort, [] { return false; }).bound;
}

std::vector<double> seconds_of(std::span<const Seconds> inner, std::size_t nodes) {
    std::vector<double> seconds(nodes, 0.0);
    std::transform(inner.begin(), inner.end(), seconds.begin(),
                   [](Seconds time) { return time.value; });
    return seconds;
}

double whole_message_bound(const Fabric& fabric, std::size_t root, Bytes bytes,
                           const std::vector<double>& inner, std::size_t ports) {
    const std::size_t nodes = fabric.nodes();
    const auto cost = [&](std::size_t u, std::size_t v) { return fabric.cost(u, v, bytes); };
    const auto delivery = [&](std::size_t u, std::size_t v) {
        const MessageCost found = cost(u, v);
        return (found.gap + found.latency).value;
    };
    const auto reach = shortest_paths(nodes, root, delivery);
    double least_gap = infinity;
    double least_delivery = infinity;
    for (std::size_t u = 0; u < nodes; ++u)
        for (std::size_t v = 0; v < nodes; ++v) {
            if (u == v || v == root) continue;
            least_gap = std::min(least_gap, cost(u, v).gap.value);
            least_delivery = std::min(least_delivery, delivery(u, v));
        }
    double bound = nodes > 1 ? postal_time(nodes, least_gap, least_delivery, ports) : 0;
    for (std::size_t v = 0; v < nodes; ++v) bound = std::max(bound, reach[v] + inner[v]);
    return priced_bound(root, inner, true, ports, bound, cost);
}

/// What must cross each shared capacity: the whole message, if no path leads around it.
double capacity_bound(const Fabric& fabric, std::size_t root, Bytes bytes,
                      const std::vector<double>& inner) {
    const std::size_t nodes = fabric.nodes();
    if (nodes > most_classified) return 0;
    double bound = 0;
    for (std::uint32_t c = 0; c < fabric.capacities().size(); ++c) {
        const auto draws = [&](std::size_t u, std::size_t v) {
            const auto drawn = fabric.draws(u, v);
            return std::find(drawn.begin(), drawn.end(), c) != drawn.end();
        };
        const auto beside = shortest_paths(nodes, root, [&](std::size_t u, std::size_t v) {
            return draws(u, v) ? infinity : 0.0;
        });
        double after = infinity;
        for (std::size_t v = 0; v < nodes; ++v) {
            if (beside[v] < infinity) continue;
            double latency = infinity;
            for (std::size_t u = 0; u < nodes; ++u)
                if (beside[u] < infinity)
                    latency = std::min(latency, fabric.floor(u, v, bytes).latency.value);
            after = std::min(after, latency + inner[v]);
        }
        if (after < infinity)
            bound = std::max(
                bound, static_cast<double>(bytes.value) / fabric.capacities()[c].limit + after);
    }
    return bound;
}

/// The least work of the ports: every node but the root takes in every byte once, and whatever is
/// taken in is sent by somebody.
struct PortWork {
    std::vector<double> into;  ///< least seconds a byte into each node
    double senders = 0;        ///< bytes a second that all can send together
    double root_per_byte = infinity;
    double root_latency = infinity;
    double least_latency = infinity;
    double longest_gap = 0;  ///< of the shortest messages
};
PortWork port_work(const Fabric& fabric, std::size_t root, Bytes bytes) {
    const std::size_t nodes = fabric.nodes();
    PortWork work;
    work.into.assign(nodes, infinity);
    for (std::size_t u = 0; u < nodes; ++u) {
        double out_of = infinity;
        for (std::size_t v = 0; v < nodes; ++v) {
            if (u == v || v == root) continue;
            const CostFloor floor = fabric.floor(u, v, bytes);
            work.into[v] = std::min(work.into[v], floor.seconds_per_byte);
            out_of = std::min(out_of, floor.seconds_per_byte);
            work.least_latency = std::min(work.least_latency, floor.latency.value);
            work.longest_gap = std::max(work.longest_gap, floor.gap.value);
            if (u != root) continue;
            work.root_per_byte = std::min(work.root_per_byte, floor.seconds_per_byte);
            work.root_latency = std::min(work.root_latency, floor.latency.value);
        }
        work.senders += out_of > 0 ? 1 / out_of : infinity;
    }
    return work;
}

double any_bound(const Fabric& fabric, std::size_t root, Bytes bytes,
                 const std::vector<double>& inner, std::size_t ports) {
    const std::size_t nodes = fabric.nodes();
    if (nodes < 2) return nodes == 1 ? inner.front() : 0;
    const double size = static_cast<double>(bytes.value) / static_cast<double>(ports);  // of a port
    const auto reach = shortest_paths(nodes, root, [&](std::size_t u, std::size_t v) {
        return fabric.floor(u, v, bytes).latency.value;
    });
    const PortWork work = port_work(fabric, root, bytes);
    double bound = std::max(inner[root], work.root_per_byte * size + work.root_latency);
    bound =
        std::max(bound, size * static_cast<double>(nodes - 1) / work.senders + work.least_latency);
    bound = std::max(bound, capacity_bound(fabric, root, bytes, inner));
    // Each node takes part in at least one message, however short, before it passes anything on;
    // the rest of its bytes come afterwards.
    std::vector<double> after(nodes);
    for (std::size_t v = 0; v < nodes; ++v) {
        const double taking = v == root ? 0 : work.into[v] * size;
        bound = std::max(bound, reach[v] + taking + inner[v]);
        after[v] = inner[v] + std::max(0.0, taking - work.longest_gap);
    }
    return priced_bound(root, after, false, ports, bound, [&](std::size_t u, std::size_t v) {
        const CostFloor floor = fabric.floor(u, v, bytes);
        return MessageCost{floor.gap, floor.latency};
    });
}

}  // namespace

Seconds broadcast_bound(const Fabric& fabric, std::size_t root, Bytes bytes,
                        schedule::BoundScope scope, std::span<const Seconds> inner,
                        std::size_t ports) {
    const std::vector<double> after = seconds_of(inner, fabric.nodes());
    return Seconds(scope == schedule::BoundScope::whole_message
                       ? whole_message_bound(fabric, root, bytes, after, ports)
                       : any_bound(fabric, root, bytes, after, ports));
}

}  // namespace espalier::simulate
