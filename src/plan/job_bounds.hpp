#pragma once

#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan {

/// The ranks that a plan serves, as far as its bounds are concerned.
struct Bounded {
    std::vector<Seconds> inner;  ///< what each still needs once it is served; empty: nothing
    Seconds found;               ///< what a search proved for whole messages; 0: nothing
    std::size_t ports = 1;       ///< that plans may use
};

/// Fills in a plan's scope and bounds, and whether it meets the one of its scope. A tree of whole
/// messages has a bound of its own, with one for schedules of any kind beside it where that does
/// not take too long.
void bound_plan(schedule::Plan& plan, const simulate::Fabric& fabric, const Bounded& bounded,
                bool is_tree);

}  // namespace espalier::plan
