#include "plan/job_bounds.hpp"

#include "plan/collective_bound.hpp"
#include "simulate/bounds.hpp"
#include "simulate/transposed.hpp"

#include <algorithm>

namespace espalier::plan {

namespace {

using schedule::BoundScope;

/// With more nodes, a second bound takes too long.
constexpr std::size_t most_bounded_twice = 2048;

}  // namespace

void bound_plan(schedule::Plan& plan, const simulate::Fabric& fabric, const Bounded& bounded,
                bool is_tree) {
    const schedule::Schedule& schedule = plan.schedule;
    const schedule::Collective& collective = schedule.collective;
    const bool whole =
        is_tree && schedule.chunks.size() == 1 && schedule.chunks.front().segments == 1 &&
        std::ranges::all_of(schedule.transfers, [&](const schedule::Transfer& transfer) {
            return schedule.segments_of(transfer) == 1;
        });
    const auto of_any = [&] {
        return collective_bound(fabric, collective, bounded.ports, bounded.inner);
    };
    plan.scope = whole ? BoundScope::whole_message : BoundScope::any;
    if (!whole) {
        plan.lower_bound = of_any();
    } else {
        // Any reduction, reversed in time, is a broadcast on the transposed network (docs/grid.md).
        const auto transposed = simulate::transposed(fabric);
        const Seconds tree = simulate::broadcast_bound(
            collective.kind == schedule::Kind::reduce ? *transposed : fabric, collective.root,
            collective.bytes, plan.scope, bounded.inner, bounded.ports);
        plan.lower_bound = std::max(tree, bounded.found);
        if (fabric.nodes() <= most_bounded_twice) {
            plan.any_bound = of_any();
            plan.lower_bound = std::max(plan.lower_bound, plan.any_bound);
        }
    }
    if (plan.timeline.completion.empty()) return;  // not simulated
    constexpr double rounding = 1e-12;
    const Seconds makespan = plan.timeline.makespan;
    plan.optimal = makespan <= plan.lower_bound * (1 + rounding);
    plan.lower_bound = std::min(plan.lower_bound, makespan);
}

}  // namespace espalier::plan
