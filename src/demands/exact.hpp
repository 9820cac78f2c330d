#pragma once

#include "core/meter.hpp"
#include "demands/objective.hpp"
#include "demands/problem.hpp"

#include <vector>

namespace espalier::demands {

/// What an exact search came to.
struct Exact {
    Order order;  ///< the best known; where it started from unless better was found
    Score score;
    bool proven = false;  ///< no schedule of whole messages without relays is better
};

/// Whether search_exactly() understands the problem: one port a node for sending and one for
/// receiving, serial reception, nothing shared.
[[nodiscard]] bool can_search_exactly(const Problem& problem);

/// Branch and bound, by score_of(), over all schedules of whole messages sent straight to their
/// receivers, also those that leave a port idle on purpose. It branches on which of two messages
/// goes first through a port, and deduces what follows for the time windows of all. `start` is any
/// order of all messages; a good one saves time. O(M^2) memory a level for M messages.
[[nodiscard]] Exact search_exactly(const Problem& problem, const Order& start, Meter& meter);

/// When each message starts if every port serves its messages in the order given, each as early as
/// that allows: what simulate::simulate() says where can_search_exactly(). Seconds, by message.
[[nodiscard]] std::vector<double> start_times(const Problem& problem, const Order& order);

}  // namespace espalier::demands
