#include "runtime/logic/learning.hpp"

#include "plan/race.hpp"

#include <utility>

namespace espalier::runtime {

Learning::Lesson Learning::learn(const std::shared_ptr<const PlannableNetwork>& believed,
                                 const std::vector<network::GridView::Place>& places, SeenCall call,
                                 bool follows) {
    if (!first_) first_ = believed;
    if (!follows) calls_.clear();
    const double usual = call.usual / call.predicted;
    const double now = call.took / call.predicted;
    calls_.push_back(std::move(call));
    Refit found =
        refit(first_->view(), places, calls_, plan::standard_budget(places.size()).most_steps());
    if (!found.changes.empty())
        return {std::make_shared<PlannableNetwork>(*first_, std::move(found.grid)), usual,
                std::move(found.changes)};
    // It is as it was; or calls take another time for some reason that no rate explains.
    return {first_, believed == first_ ? now : usual, ""};
}

}  // namespace espalier::runtime
