#pragma once

#include "demands/planner.hpp"

namespace espalier::demands {

/// Branch and bound after a short list_search(): proven best for a few nodes (up to 5 always, in
/// milliseconds), the best found within the limits otherwise. Where search_exactly() does not
/// apply it is list_search(), proven only if that meets the bound.
[[nodiscard]] Found optimal(const Problem& problem, const Limits& limits);

}  // namespace espalier::demands
