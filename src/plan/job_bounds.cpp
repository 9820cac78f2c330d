#include "plan/job_bounds.hpp"

#include "plan/collective_bound.hpp"
#include "simulate/bounds.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/transposed.hpp"

#include <algorithm>

namespace espalier::plan {

namespace {

using schedule::BoundScope;

/// Among more nodes a second bound takes too long.
constexpr std::size_t most_bounded_twice = 2048;

}  // namespace

void bound_plan(schedule::Plan& plan, const Job& job, const JobRequest& request,
                const Bounded& bounded) {
    const auto fabric = simulate::make_rank_fabric(*job.view, bounded.places);
    const auto of_any = [&] {
        schedule::Collective collective;
        collective.kind = request.kind;
        collective.nodes = bounded.places.size();
        collective.root = bounded.root;
        collective.bytes = request.bytes;
        return collective_bound(*fabric, collective, request.ports, bounded.inner);
    };
    if (plan.scope == BoundScope::any) {
        plan.lower_bound = of_any();
    } else {
        // Any reduction, read backwards, is a broadcast on the links turned round (docs/grid.md).
        const auto turned = simulate::transposed(*fabric);
        const Seconds whole = simulate::broadcast_bound(
            request.kind == schedule::Kind::reduce ? *turned : *fabric, bounded.root, request.bytes,
            plan.scope, bounded.inner, request.ports);
        plan.lower_bound = std::max(whole, bounded.found);
        if (bounded.places.size() <= most_bounded_twice) {
            plan.any_bound = of_any();
            plan.lower_bound = std::max(plan.lower_bound, plan.any_bound);
        }
    }
    plan.optimal = plan.timeline.makespan.value <= plan.lower_bound.value * (1 + 1e-12);
}

}  // namespace espalier::plan
