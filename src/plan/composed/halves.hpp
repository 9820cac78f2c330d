#pragma once

#include "plan/composed/problem.hpp"
#include "plan/site.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::plan::composed {

/// The ranks of a job in two parts, which may exchange what they have combined.
struct Halves {
    Site near;  ///< where the centre is
    Site far;   ///< of two ranks at least
};

/// Clusters that are far from each other are apart: those whose nearest two are the farthest, there
/// and back; of members that are alike, the former half and the latter. None for fewer than three
/// ranks.
[[nodiscard]] std::optional<Halves> halves_of(const Problem& problem);

/// The innermost site around a rank that holds others, too.
[[nodiscard]] const Site& neighbourhood(const Site& site, std::size_t rank);

/// An all-reduce, or a barrier, that crosses between two halves once: each combines what it has,
/// they exchange that, and spread the sum. Both combine the same two operands, so that all ranks
/// get the same bits if the same one is on the left. None for an operator that keeps its order.
[[nodiscard]] std::vector<schedule::Schedule> exchange_of_halves(const Problem& problem,
                                                                 Meter& meter);

}  // namespace espalier::plan::composed
