#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// A scan or exscan in which each rank passes what it holds to the next one, in segments.
[[nodiscard]] std::vector<schedule::Schedule> scan_chain(const Problem& problem, Meter& meter);

/// A scan or exscan by steps: in step k each rank sends what it holds to the one 2^k places on.
[[nodiscard]] std::vector<schedule::Schedule> scan_by_doubling(const Problem& problem,
                                                               Meter& meter);

/// A scan or exscan by levels, where ranks follow one another by cluster: inside each, then between
/// their last ranks, then inside each what those before it have.
[[nodiscard]] std::vector<schedule::Schedule> scan_by_levels(const Problem& problem, Meter& meter);

/// A scan or exscan for ranks in any order: those that follow one another and are near each other
/// combine what they have, and their last one sends it straight to the last and to the first rank
/// of all later such parts. Empty where these are too many.
[[nodiscard]] std::vector<schedule::Schedule> scan_straight(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::composed
