#pragma once

#include "plan/job.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan {

/// Whom a plan serves, as far as its bounds are concerned.
struct Bounded {
    std::vector<network::GridView::Place> places;  ///< where its nodes sit
    std::size_t root = 0;                          ///< one of them
    std::vector<Seconds> inner;  ///< what each still needs once it is served; empty: nothing
    Seconds found;               ///< what a search proved for whole messages; 0: nothing
};

/// Fills in the bounds of a plan whose scope is known, and whether it meets the one of its scope. A
/// plan of whole messages gets a bound for schedules of any kind beside it, where that does not
/// take too long.
void bound_plan(schedule::Plan& plan, const Job& job, const JobRequest& request,
                const Bounded& bounded);

}  // namespace espalier::plan
