#pragma once

#include "demands/problem.hpp"

#include <string>
#include <vector>

namespace espalier::demands {

/// The part of an earlier schedule that applies to a problem between nodes of these names, which
/// may be others, or in another order: its transfers of messages that are still to be sent. A
/// message of which a relay is gone goes straight. Throws InputError if the schedule is not of a
/// total exchange.
[[nodiscard]] Order adopt(const Problem& problem, const std::vector<std::string>& names,
                          const schedule::Schedule& old);

/// Adapts an order to a problem that has changed since it was made (bhat-1998, 6.2): other costs,
/// messages gone or new; `old` names messages of `changed`, each at most once. It takes the old
/// order where that is still good. Otherwise it schedules a few times anew and keeps the best: a
/// millisecond for 50 nodes, within a percent of
/// list_search() where a tenth of the links have changed by a factor of two.
[[nodiscard]] Found refine(const Problem& changed, const Order& old, const Limits& limits);

}  // namespace espalier::demands
