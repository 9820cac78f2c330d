#include "runtime/logic/plan_from_before.hpp"

#include "plan/overhead.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <cstddef>
#include <utility>

namespace espalier::runtime {

void add_plan_from_before(PlannedRanks& planned, const PlannedRanks& before,
                          const network::GridView& now,
                          const std::vector<network::GridView::Place>& places, double over) {
    const PlannedCollective& best = planned.shares.front();
    const PlannedCollective& old = before.shares.front();
    if (best.is_native() || !best.is_left_to_calls() || !best.predicted || old.is_native() ||
        !old.predicted || *old.predicted >= *best.predicted)
        return;
    const schedule::Schedule& schedule = *before.schedules.front();
    const auto fabric = simulate::make_rank_fabric(now, places);
    const Seconds predicted = simulate::simulate(schedule, *fabric).makespan +
                              plan::processor_time(schedule, fabric->message_time());
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
