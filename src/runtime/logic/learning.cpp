#include "runtime/logic/learning.hpp"

#include "core/infinity.hpp"
#include "plan/race.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <utility>

namespace espalier::runtime {

std::vector<Learning::Lesson> Learning::learn(
    const std::shared_ptr<const PlannableNetwork>& first,
    const std::shared_ptr<const PlannableNetwork>& believed,
    const std::vector<network::GridView::Place>& places, SeenCall call, bool follows) {
    if (!follows) calls_.clear();
    const double usual = usual_part(call, first->view().grid().uncertainty);
    const double now = call.took / call.predicted;
    calls_.push_back(std::move(call));
    const auto explain = [&](std::span<const SeenCall> calls) {
        return refit(first->view(), places, calls,
                     plan::standard_budget(places.size()).most_steps());
    };
    std::vector<Refit> found = explain(calls_);
    if (calls_.size() > 1 && !found.front().explains_all) {
        // Something may have changed between them all the same.
        const std::span<const SeenCall> last(&calls_.back(), 1);
        if (std::vector<Refit> alone = explain(last); alone.front().explains_all) {
            found = std::move(alone);
            calls_.erase(calls_.begin(), calls_.end() - 1);
        }
    }
    // It is as it was; or calls take another time for some reason that no rate explains.
    if (found.front().changes.empty()) return {{first, believed == first ? now : usual, {}}};
    std::vector<Lesson> lessons;
    for (Refit& each : found)
        lessons.push_back({std::make_shared<PlannableNetwork>(*first, std::move(each.grid)), usual,
                           std::move(each.changes)});
    return lessons;
}

std::size_t best_over_all(std::span<const std::shared_ptr<const schedule::Schedule>> plans,
                          std::span<const Learning::Lesson> lessons,
                          const std::vector<network::GridView::Place>& places) {
    std::size_t best = 0;
    double least = infinity;
    for (std::size_t plan = 0; plan < plans.size(); ++plan) {
        double sum = 0;
        for (const Learning::Lesson& lesson : lessons) {
            const auto fabric = simulate::make_rank_fabric(lesson.network->view(), places);
            sum += simulate::simulate(*plans[plan], *fabric).makespan.value;
        }
        if (sum >= least) continue;
        least = sum;
        best = plan;
    }
    return best;
}

}  // namespace espalier::runtime
