#include "plan/collective_bound.hpp"

#include "core/error.hpp"
#include "plan/bounds/cuts.hpp"
#include "plan/bounds/demand.hpp"
#include "plan/bounds/nodes.hpp"
#include "simulate/bounds.hpp"
#include "simulate/transposed.hpp"

#include <algorithm>
#include <optional>

namespace espalier::plan {

namespace {

using schedule::Collective;
using schedule::Kind;

/// With more nodes, or more groups of like nodes, cuts are not looked at.
constexpr std::size_t most_nodes = 2048;
constexpr std::size_t most_groups = 64;
/// The number of roots from which a broadcast bounds an all-reduce.
constexpr std::size_t most_broadcasts = 4;

/// The collective that one is as its mirror on the transposed network, reversed in time.
std::optional<Kind> mirror_of(Kind kind) {
    switch (kind) {
        case Kind::reduce:
            return Kind::broadcast;
        case Kind::gather:
            return Kind::scatter;
        case Kind::reduce_scatter:
            return Kind::allgather;
        default:
            return std::nullopt;
    }
}

class Bound {
public:
    Bound(const simulate::Fabric& fabric, const Collective& collective, std::size_t ports,
          const std::vector<Seconds>& inner)
        : fabric_(fabric),
          collective_(collective),
          ports_(ports),
          inner_(inner),
          demand_(collective),
          links_(bounds::least_costs(fabric, demand_.all())) {
        for (const Seconds time : inner) after_.push_back(time.value);
    }

    [[nodiscard]] double run() const {
        return std::max({bounds::farthest_way(links_, demand_, after_),
                         bounds::busiest_ports(links_, demand_, ports_), across(), broadcasts()});
    }

private:
    /// The edges of sets of nodes.
    [[nodiscard]] double across() const {
        if (fabric_.nodes() > most_nodes || demand_.all().value == 0) return 0;
        const auto like = bounds::like_nodes(fabric_, links_, most_groups);
        double bound = bounds::cut_bound(fabric_, links_, like, demand_, ports_, after_);
        if (collective_.kind == Kind::allreduce)
            bound = std::max(
                bound, bounds::parts_bound(fabric_, links_, like,
                                           static_cast<double>(collective_.bytes.value), ports_));
        return bound;
    }

    /// The bound of the broadcasts and reductions that the collective is or contains. An all-reduce
    /// brings what each node has to all others, and what all have to each; a scan brings what the
    /// first node has to all, and what all have to the last.
    [[nodiscard]] double broadcasts() const {
        switch (collective_.kind) {
            case Kind::broadcast:
                return broadcast(fabric_, collective_.root);
            case Kind::scan:
            case Kind::exscan:
                return std::max(broadcast(fabric_, 0),
                                broadcast(*simulate::transposed(fabric_), fabric_.nodes() - 1));
            case Kind::allreduce:
            case Kind::barrier: {
                const auto transpose = simulate::transposed(fabric_);
                const std::size_t step =
                    std::max<std::size_t>(1, fabric_.nodes() / most_broadcasts);
                double bound = 0;
                for (std::size_t node = 0; node < fabric_.nodes(); node += step)
                    bound =
                        std::max({bound, broadcast(fabric_, node), broadcast(*transpose, node)});
                return bound;
            }
            default:
                return 0;
        }
    }

    [[nodiscard]] double broadcast(const simulate::Fabric& on, std::size_t root) const {
        try {
            return simulate::broadcast_bound(on, root, collective_.bytes, schedule::BoundScope::any,
                                             inner_, ports_)
                .value;
        } catch (const InputError&) {
            return 0;  // it needs to know all links
        }
    }

    const simulate::Fabric& fabric_;
    const Collective& collective_;
    std::size_t ports_;
    const std::vector<Seconds>& inner_;
    bounds::Demand demand_;
    Matrix<bounds::Link> links_;
    std::vector<double> after_;
};

}  // namespace

Seconds collective_bound(const simulate::Fabric& fabric, const Collective& collective,
                         std::size_t ports, const std::vector<Seconds>& inner) {
    if (collective.nodes < 2) return inner.empty() ? Seconds(0) : inner.front();
    if (const auto mirror = mirror_of(collective.kind)) {
        Collective mirrored = collective;
        mirrored.kind = *mirror;
        return collective_bound(*simulate::transposed(fabric), mirrored, ports, inner);
    }
    return Seconds(Bound(fabric, collective, ports, inner).run());
}

}  // namespace espalier::plan
