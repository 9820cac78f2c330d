#include "runtime/logic/learning.hpp"

#include "plan/race.hpp"

#include <utility>

namespace espalier::runtime {

Learning::Lesson Learning::learn(const std::shared_ptr<const PlannableNetwork>& first,
                                 const std::shared_ptr<const PlannableNetwork>& believed,
                                 const std::vector<network::GridView::Place>& places, SeenCall call,
                                 bool follows) {
    if (!follows) calls_.clear();
    const double usual = usual_part(call, first->view().grid().uncertainty);
    const double now = call.took / call.predicted;
    calls_.push_back(std::move(call));
    Refit found =
        refit(first->view(), places, calls_, plan::standard_budget(places.size()).most_steps());
    if (!found.changes.empty())
        return {std::make_shared<PlannableNetwork>(*first, std::move(found.grid)), usual,
                std::move(found.changes)};
    // It is as it was; or calls take another time for some reason that no rate explains.
    return {first, believed == first ? now : usual, ""};
}

}  // namespace espalier::runtime
