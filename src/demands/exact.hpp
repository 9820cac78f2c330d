#pragma once

#include "core/meter.hpp"
#include "demands/problem.hpp"

namespace espalier::demands {

/// Whether search_exactly() understands the problem: one port a node for sending and one for
/// receiving, serial reception, nothing shared.
[[nodiscard]] bool can_search_exactly(const Problem& problem);

/// Branch and bound, by score_of(), over all schedules of whole messages sent straight to their
/// receivers, also those that leave a port idle on purpose. It branches on which of two messages
/// goes first through a port, and deduces what follows for the time windows of all. `start` is any
/// order of all messages; a good one saves time, and it stays where none is better. O(M^2) memory a
/// level for M messages.
[[nodiscard]] Found search_exactly(const Problem& problem, const Order& start, Meter& meter);

/// Searches exactly after a quick search by what was asked for. The result is proven best for a few
/// nodes (up to 5 always, in milliseconds, if only the makespan counts), otherwise the best found
/// within the limits. If search_exactly() does not apply, it is that of the quick search, proven
/// only if it meets the bound.
[[nodiscard]] Found optimal(const Problem& problem, const Limits& limits);

}  // namespace espalier::demands
