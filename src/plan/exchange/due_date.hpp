#pragma once

#include "plan/exchange/planner.hpp"

namespace espalier::plan::exchange {

/// Messages in the order of their deadlines, slack, priorities and mixtures of these (bhat-1998,
/// 6.4), each as early as those before it leave room; the best of all rules is improved by local
/// search.
[[nodiscard]] Found earliest_deadline(const Problem& problem, const Limits& limits);

}  // namespace espalier::plan::exchange
