#pragma once

#include "network/grid_view.hpp"
#include "runtime/logic/planned_collective.hpp"

#include <vector>

namespace espalier::runtime {

/// Has each plan that is `planned` on a network as it is believed to be know what it takes if that
/// is again as it was at `first`: so its first calls tell.
void foretell_return(PlannedRanks& planned, const network::GridView& first,
                     const std::vector<network::GridView::Place>& places);

/// Adds to what is `planned` on a network as it is believed to be `now` the best of the plans for
/// what it was before it changed, if calls are to find out by that whether it is so again: it takes
/// longer than the best new plan now, and took less before. `over`: the chance that the change is.
void add_plan_from_before(PlannedRanks& planned, const PlannedRanks& before,
                          const network::GridView& now,
                          const std::vector<network::GridView::Place>& places, double over);

}  // namespace espalier::runtime
