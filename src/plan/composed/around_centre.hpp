#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// An all-reduce, or a barrier: contributions are combined up a tree to a centre, and the result
/// spread from there down another, with each cluster's coordinator for a centre.
[[nodiscard]] std::vector<schedule::Schedule> around_centre(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::composed
