#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// A reduction or all-reduce in rank order: what each rank sends is of one unbroken run of ranks,
/// and adjoins what its receiver holds. By levels where each site's members are such runs; where
/// ranks are spread over clusters out of order, by their numbers alone.
[[nodiscard]] std::vector<schedule::Schedule> in_rank_order(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::composed
