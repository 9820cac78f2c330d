#pragma once

#include "measure/method/bottlenecks.hpp"

#include <vector>

namespace espalier::measure {

/// Adds to the `certain` capacities those of their other directions, for when there was no time to
/// look at all of them. An other direction is the one of `doubtful` that covers the same pairs in
/// reverse, if there is one; otherwise it is taken to be as large, since most links carry as much
/// in either direction, unless streams got more there.
[[nodiscard]] std::vector<Bottleneck> with_other_directions(
    const Surroundings& surroundings, const std::vector<RoundRates>& rounds,
    std::vector<Bottleneck> certain, const std::vector<Bottleneck>& doubtful);

/// Adds the most that was seen between each two clusters, both ways, to the `certain` capacities
/// that these share with others and that clearly exceed it, for when there was no time to look at
/// all of them: that a common path carries more does not say that each pair's does.
[[nodiscard]] std::vector<Bottleneck> with_pairs(const Surroundings& surroundings,
                                                 const std::vector<RoundRates>& rounds,
                                                 std::vector<Bottleneck> certain);

}  // namespace espalier::measure
