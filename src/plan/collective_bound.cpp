#include "plan/collective_bound.hpp"

#include "core/error.hpp"
#include "core/rounding.hpp"
#include "network/spread.hpp"
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
          const std::vector<Seconds>& inner, const Limits& budget)
        : fabric_(fabric),
          collective_(collective),
          ports_(ports),
          inner_(inner),
          meter_(budget),
          demand_(collective) {
        for (const Seconds time : inner) after_.push_back(time.value);
    }

    [[nodiscard]] double run() {
        meter_.spend(simulate::steps_a_cost * fabric_.nodes() * fabric_.nodes());
        const auto links = bounds::least_costs(fabric_, demand_.all());
        const auto like = meter_.lend(
            1.0 / 2, [&](Meter& meter) { return bounds::like_nodes(fabric_, links, meter); });
        // Each may take as much of what is left as any of those that follow it.
        const double paths = meter_.lend(1.0 / 3, [&](Meter& meter) {
            return bounds::farthest_path(links, demand_, after_, meter);
        });
        const double cuts = meter_.lend(1.0 / 2, [&](Meter& meter) {
            return bounds::cut_bound(fabric_, links, like, demand_, ports_, after_, meter);
        });
        return std::max(
            {bounds::busiest_ports(links, demand_, ports_), paths, cuts, broadcasts(like)});
    }

private:
    /// The bound of the broadcasts and reductions that the collective is or contains. An all-reduce
    /// brings what each node has to all others, and what all have to each; a scan brings what the
    /// first node has to all, and what all have to the last.
    [[nodiscard]] double broadcasts(const bounds::Grouping& like) {
        switch (collective_.kind) {
            case Kind::broadcast:
                return broadcast(fabric_, collective_.root, 1);
            case Kind::scan:
            case Kind::exscan:
                return std::max(
                    {broadcast(fabric_, 0, 1.0 / 2),
                     broadcast(*simulate::transposed(fabric_), fabric_.nodes() - 1, 1)});
            case Kind::allreduce:
            case Kind::barrier: {
                const auto transpose = simulate::transposed(fabric_);
                auto left = static_cast<double>(like.size());
                double bound = 0;
                for (const auto& members : like) {
                    bound = std::max({bound, broadcast(fabric_, members.front(), 1 / (2 * left)),
                                      broadcast(*transpose, members.front(), 1 / (2 * left - 1))});
                    --left;
                }
                return bound;
            }
            default:
                return 0;
        }
    }

    [[nodiscard]] double broadcast(const simulate::Fabric& on, std::size_t root, double part) {
        return meter_.lend(part, [&](Meter& meter) {
            try {
                return simulate::broadcast_bound(on, root, collective_.bytes,
                                                 schedule::BoundScope::any, inner_, ports_, meter)
                    .value;
            } catch (const InputError&) {
                return 0.0;  // it needs to know all links
            }
        });
    }

    const simulate::Fabric& fabric_;
    const Collective& collective_;
    std::size_t ports_;
    const std::vector<Seconds>& inner_;
    Meter meter_;
    bounds::Demand demand_;
    std::vector<double> after_;
};

/// Of a broadcast or a reduction of whole messages. Any reduction, reversed in time, is a broadcast
/// on the transposed network (docs/grid.md).
Seconds tree_bound(const simulate::Fabric& fabric, const Collective& collective,
                   const Bounded& bounded, const Limits& budget) {
    const auto transposed = simulate::transposed(fabric);
    Meter meter(budget);
    return simulate::broadcast_bound(
        collective.kind == Kind::reduce ? *transposed : fabric, collective.root, collective.bytes,
        schedule::BoundScope::whole_message, bounded.inner, bounded.ports, meter);
}

}  // namespace

Seconds collective_bound(const simulate::Fabric& fabric, const Collective& collective,
                         std::size_t ports, const std::vector<Seconds>& inner,
                         const Limits& budget) {
    if (collective.nodes < 2) return inner.empty() ? Seconds(0) : inner.front();
    if (const auto mirror = mirror_of(collective.kind)) {
        Collective mirrored = collective;
        mirrored.kind = *mirror;
        return collective_bound(*simulate::transposed(fabric), mirrored, ports, inner, budget);
    }
    return Seconds(Bound(fabric, collective, ports, inner, budget).run());
}

Seconds scenario_bound(const schedule::Plan& plan, const simulate::Fabric& fabric,
                       const Bounded& bounded) {
    const Limits budget = simulate::bound_budget.at_most(simulate::bound_budget.most_steps() /
                                                         network::scenario_count);
    const Collective& collective = plan.schedule.collective;
    const Seconds of_any =
        collective_bound(fabric, collective, bounded.ports, bounded.inner, budget);
    if (plan.scope == schedule::BoundScope::any) return of_any;
    return std::max(of_any, tree_bound(fabric, collective, bounded, budget));
}

void CollectiveBounds::fill_in(schedule::Plan& plan, bool is_tree) {
    const schedule::Schedule& schedule = plan.schedule;
    const bool whole =
        is_tree && schedule.chunks.size() == 1 && schedule.chunks.front().segments == 1 &&
        std::ranges::all_of(schedule.transfers, [&](const schedule::Transfer& transfer) {
            return schedule.segments_of(transfer) == 1;
        });
    plan.scope = whole ? schedule::BoundScope::whole_message : schedule::BoundScope::any;
    if (!of_any_)
        of_any_ = collective_bound(fabric_, schedule.collective, bounded_.ports, bounded_.inner);
    plan.lower_bound = *of_any_;
    if (whole) {
        if (!of_trees_)
            of_trees_ = tree_bound(fabric_, schedule.collective, bounded_, simulate::bound_budget);
        plan.any_bound = *of_any_;
        plan.lower_bound = std::max({*of_trees_, bounded_.found, *of_any_});
    }
    if (plan.timeline.completion.empty()) return;  // not simulated
    const Seconds makespan = plan.timeline.makespan;
    plan.optimal = makespan <= plan.lower_bound * (1 + rounding);
    plan.lower_bound = std::min(plan.lower_bound, makespan);
}

}  // namespace espalier::plan
