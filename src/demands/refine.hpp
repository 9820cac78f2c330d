#pragma once

#include "demands/planner.hpp"

namespace espalier::demands {

/// Adapts an order to a problem that has changed since it was made (bhat-1998, 6.2): other costs,
/// messages gone or new; `old` names messages of `changed`, each at most once. It takes the old
/// order where that is still good. Otherwise it schedules a few times anew, some of them along
/// the old one's times, and keeps the best: a millisecond for 50 nodes, within a percent of
/// list_search() where a tenth of the links have changed by a factor of two.
[[nodiscard]] Found refine(const Problem& changed, const Order& old, const Limits& limits);

}  // namespace espalier::demands
