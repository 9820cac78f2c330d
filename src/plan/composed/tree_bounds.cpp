#include "plan/composed/tree_bounds.hpp"

#include "core/error.hpp"
#include "simulate/bounds.hpp"
#include "simulate/shortest_ways.hpp"
#include "simulate/transposed.hpp"

#include <algorithm>
#include <limits>

namespace espalier::plan::composed {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// The least that the first byte needs from one node to another, where a link is all there is.
double first_byte(const simulate::Fabric& fabric, std::size_t from, std::size_t to, Bytes bytes) {
    if (from == to) return 0;
    try {
        const simulate::CostFloor floor = fabric.floor(from, to, bytes);
        return (floor.latency + floor.gap).value;
    } catch (const InputError&) {
        return never;  // what is not known, no schedule can use
    }
}

/// What every node has must reach every other (a later one, in a scan): no sooner than along the
/// shortest way.
double farthest_way(const simulate::Fabric& fabric, Bytes bytes, bool forward_only) {
    const std::size_t nodes = fabric.nodes();
    double farthest = 0;
    for (std::size_t from = 0; from < nodes; ++from) {
        const auto reach = simulate::shortest_ways(nodes, from, [&](std::size_t u, std::size_t v) {
            return first_byte(fabric, u, v, bytes);
        });
        for (std::size_t to = forward_only ? from + 1 : 0; to < nodes; ++to)
            farthest = std::max(farthest, reach[to]);
    }
    return farthest;
}

}  // namespace

Seconds tree_bound(const simulate::Fabric& fabric, const schedule::Collective& collective,
                   std::size_t ports) {
    using enum schedule::Kind;
    const auto broadcast_on = [&](const simulate::Fabric& on) {
        return simulate::broadcast_bound(on, collective.root, collective.bytes,
                                         schedule::BoundScope::any, {}, ports);
    };
    switch (collective.kind) {
        case broadcast:
            return broadcast_on(fabric);
        case reduce:
            return broadcast_on(*simulate::transposed(fabric));
        case scan:
        case exscan:
            return Seconds(farthest_way(fabric, collective.bytes, true));
        default:
            return Seconds(farthest_way(fabric, collective.bytes, false));
    }
}

}  // namespace espalier::plan::composed
