#include "runtime/logic/plan_from_before.hpp"

#include "plan/overhead.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <cstddef>
#include <utility>

namespace espalier::runtime {

namespace {

/// What a call by a plan between ranks takes.
Seconds time_of(const schedule::Schedule& plan, const simulate::Fabric& fabric) {
    return simulate::simulate(plan, fabric).makespan +
           plan::processor_time(plan, fabric.message_time());
}

}  // namespace

void foretell_return(PlannedRanks& planned, const network::GridView& first,
                     const std::vector<network::GridView::Place>& places) {
    const auto fabric = simulate::make_rank_fabric(first, places);
    for (std::size_t plan = 0; plan < planned.schedules.size(); ++plan) {
        const Seconds again = time_of(*planned.schedules[plan], *fabric);
        for (PlannedCollective& share : planned.shares)
            (plan == 0 ? share : share.others[plan - 1]).prior.again = again;
    }
}

void add_plan_from_before(PlannedRanks& planned, const PlannedRanks& before,
                          const network::GridView& now,
                          const std::vector<network::GridView::Place>& places, double over) {
    const PlannedCollective& best = planned.shares.front();
    const PlannedCollective& old = before.shares.front();
    if (best.is_native() || !best.is_left_to_calls() || !best.predicted || old.is_native() ||
        !old.predicted || *old.predicted >= *best.predicted)
        return;
    const Seconds predicted =
        time_of(*before.schedules.front(), *simulate::make_rank_fabric(now, places));
    if (predicted <= *best.predicted) return;
    const Bandit::Prior prior{predicted, now.grid().uncertainty, 1.0, false, *old.predicted, over};
    for (std::size_t rank = 0; rank < planned.shares.size(); ++rank) {
        PlannedCollective kept = before.shares[rank];
        kept.others.clear();
        kept.predicted = predicted;
        kept.prior = prior;
        planned.shares[rank].others.push_back(std::move(kept));
    }
    planned.schedules.push_back(before.schedules.front());
}

}  // namespace espalier::runtime
