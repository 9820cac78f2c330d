#pragma once

#include "measure/method/bottlenecks.hpp"

#include <vector>

namespace espalier::measure {

/// For when there was no time to look at all of them: `certain` capacities, and after them what is
/// taken to share in their other direction. That is the one of `doubtful` that covers the same
/// pairs in reverse, if there is one; else one as large, unless more was seen to go there: most
/// links carry as much either way.
[[nodiscard]] std::vector<Bottleneck> with_other_directions(
    const Surroundings& surroundings, const std::vector<RoundRates>& rounds,
    std::vector<Bottleneck> certain, const std::vector<Bottleneck>& doubtful);

}  // namespace espalier::measure
