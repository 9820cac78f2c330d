#include "plan/composed/tree_bounds.hpp"

#include "core/error.hpp"
#include "plan/composed/cut_bounds.hpp"
#include "simulate/bounds.hpp"
#include "simulate/shortest_ways.hpp"
#include "simulate/transposed.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace espalier::plan::composed {

namespace {

using schedule::Collective;
using schedule::Kind;

constexpr double never = std::numeric_limits<double>::infinity();
/// Ways are looked for from so many nodes in steps of all pairs, and broadcasts bounded from so
/// many.
constexpr std::size_t most_pair_steps = 16'000'000;
constexpr std::size_t most_broadcasts = 4;

class TreeBound {
public:
    TreeBound(const simulate::Fabric& fabric, const Collective& collective, std::size_t ports)
        : fabric_(fabric),
          turned_(simulate::transposed(fabric)),
          collective_(collective),
          ports_(ports) {}

    [[nodiscard]] Seconds run() const {
        const Seconds cut =
            cut_bound(fabric_, collective_.bytes, ports_,
                      [this](const std::vector<char>& inside) { return crossing(inside); });
        const Seconds way(farthest_way());
        switch (collective_.kind) {
            case Kind::broadcast:
                return std::max(cut, broadcast(fabric_, collective_.root));
            case Kind::reduce:
                return std::max(cut, broadcast(*turned_, collective_.root));
            case Kind::scan:
            case Kind::exscan:
                // What the first has reaches all, and what all have reaches the last.
                return std::max(
                    {cut, way, broadcast(fabric_, 0), broadcast(*turned_, nodes() - 1)});
            default:
                return std::max({cut, way, of_all(), Seconds(through_ports())});
        }
    }

private:
    [[nodiscard]] std::size_t nodes() const { return collective_.nodes; }
    [[nodiscard]] bool is_scan() const {
        return collective_.kind == Kind::scan || collective_.kind == Kind::exscan;
    }

    /// Whether something that `from` has must reach `to`.
    [[nodiscard]] bool must_reach(std::size_t from, std::size_t to) const {
        if (from == to) return false;
        if (collective_.kind == Kind::broadcast) return from == collective_.root;
        if (collective_.kind == Kind::reduce) return to == collective_.root;
        return !is_scan() || from < to;
    }

    /// However contributions are combined, what one node has for another is as long as a message.
    [[nodiscard]] Crossing crossing(const std::vector<char>& inside) const {
        bool out = false;
        bool in = false;
        for (std::size_t from = 0; from < nodes() && !(out && in); ++from)
            for (std::size_t to = 0; to < nodes(); ++to) {
                if (inside[from] == inside[to] || !must_reach(from, to)) continue;
                (inside[from] != 0 ? out : in) = true;
            }
        const auto bytes = static_cast<double>(collective_.bytes.value);
        return {out ? bytes : 0, in ? bytes : 0};
    }

    [[nodiscard]] Seconds broadcast(const simulate::Fabric& on, std::size_t root) const {
        try {
            return simulate::broadcast_bound(on, root, collective_.bytes, schedule::BoundScope::any,
                                             {}, ports_);
        } catch (const InputError&) {
            return Seconds(0);  // it needs to know all links
        }
    }

    /// An all-reduce brings what each node has to all others, and what all have to each.
    [[nodiscard]] Seconds of_all() const {
        Seconds bound(0);
        const std::size_t step = std::max<std::size_t>(1, nodes() / most_broadcasts);
        for (std::size_t node = 0; node < nodes(); node += step)
            bound = std::max({bound, broadcast(fabric_, node), broadcast(*turned_, node)});
        return bound;
    }

    /// Every byte of an all-reduce crosses at least 2 (n - 1) times from node to node: n - 1
    /// contributions have to meet at the first node that has all, and n - 1 nodes still lack some
    /// then.
    [[nodiscard]] double through_ports() const {
        double rate = 0;
        double latency = never;
        for (std::size_t from = 0; from < nodes(); ++from) {
            double per_byte = never;
            for (std::size_t to = 0; to < nodes(); ++to) {
                if (from == to) continue;
                const auto floor = floor_of(from, to);
                per_byte = std::min(per_byte, floor.seconds_per_byte);
                latency = std::min(latency, floor.latency.value);
            }
            if (per_byte == 0) return 0;
            rate += static_cast<double>(ports_) / per_byte;
        }
        if (rate == 0 || latency == never) return 0;
        const auto crossings = static_cast<double>(2 * (nodes() - 1));
        return latency + crossings * static_cast<double>(collective_.bytes.value) / rate;
    }

    /// The first byte of something, along the shortest way.
    [[nodiscard]] double farthest_way() const {
        double farthest = 0;
        const std::size_t ways =
            std::clamp<std::size_t>(most_pair_steps / (nodes() * nodes()), 1, nodes());
        for (std::size_t way = 0; way < ways; ++way) {
            const std::size_t from = way * nodes() / ways;
            const auto reached =
                simulate::shortest_ways(nodes(), from, [&](std::size_t u, std::size_t v) {
                    if (u == v) return 0.0;
                    const auto floor = floor_of(u, v);
                    return (floor.latency + floor.gap).value;
                });
            for (std::size_t to = 0; to < nodes(); ++to)
                if (must_reach(from, to) && reached[to] < never)
                    farthest = std::max(farthest, reached[to]);
        }
        return farthest;
    }

    /// Costs nothing may use where they are not known.
    [[nodiscard]] simulate::CostFloor floor_of(std::size_t from, std::size_t to) const {
        try {
            return fabric_.floor(from, to, collective_.bytes);
        } catch (const InputError&) {
            return {Seconds(never), never, Seconds(never), Seconds(0)};
        }
    }

    const simulate::Fabric& fabric_;
    std::unique_ptr<const simulate::Fabric> turned_;
    const Collective& collective_;
    std::size_t ports_;
};

}  // namespace

Seconds tree_bound(const simulate::Fabric& fabric, const Collective& collective,
                   std::size_t ports) {
    return TreeBound(fabric, collective, ports).run();
}

}  // namespace espalier::plan::composed
