#pragma once

#include "plan/composed/problem.hpp"

#include <cstdint>
#include <vector>

namespace espalier::plan::composed {

/// An all-gather of blocks one by one, chunk r being rank r's: from cluster to cluster each on the
/// way that brings it there the soonest, given what was decided before, to whichever rank has its
/// port free; and from there round a ring of the cluster's ranks. Data come before what depends on
/// them; ports are in no good order.
[[nodiscard]] std::vector<schedule::Transfer> route_to_all(
    const Problem& problem, const std::vector<std::uint64_t>& blocks);

}  // namespace espalier::plan::composed
