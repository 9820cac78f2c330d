#include "plan/job_bounds.hpp"

#include "core/rounding.hpp"
#include "plan/collective_bound.hpp"
#include "simulate/bounds.hpp"
#include "simulate/transposed.hpp"

#include <algorithm>

namespace espalier::plan {

void bound_plan(schedule::Plan& plan, const simulate::Fabric& fabric, const Bounded& bounded,
                bool is_tree) {
    const schedule::Schedule& schedule = plan.schedule;
    const schedule::Collective& collective = schedule.collective;
    const bool whole =
        is_tree && schedule.chunks.size() == 1 && schedule.chunks.front().segments == 1 &&
        std::ranges::all_of(schedule.transfers, [&](const schedule::Transfer& transfer) {
            return schedule.segments_of(transfer) == 1;
        });
    const Seconds of_any = collective_bound(fabric, collective, bounded.ports, bounded.inner);
    plan.scope = whole ? schedule::BoundScope::whole_message : schedule::BoundScope::any;
    if (!whole) {
        plan.lower_bound = of_any;
    } else {
        // Any reduction, reversed in time, is a broadcast on the transposed network (docs/grid.md).
        const auto transposed = simulate::transposed(fabric);
        Meter meter(simulate::bound_budget);
        const Seconds tree = simulate::broadcast_bound(
            collective.kind == schedule::Kind::reduce ? *transposed : fabric, collective.root,
            collective.bytes, plan.scope, bounded.inner, bounded.ports, meter);
        plan.any_bound = of_any;
        plan.lower_bound = std::max({tree, bounded.found, of_any});
    }
    if (plan.timeline.completion.empty()) return;  // not simulated
    const Seconds makespan = plan.timeline.makespan;
    plan.optimal = makespan <= plan.lower_bound * (1 + rounding);
    plan.lower_bound = std::min(plan.lower_bound, makespan);
}

}  // namespace espalier::plan
