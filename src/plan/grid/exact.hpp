#pragma once

#include "core/meter.hpp"
#include "plan/grid/problem.hpp"
#include "simulate/slot_prices.hpp"

#include <cstddef>

namespace espalier::plan::grid {

/// Whether the clusters are few enough to be enumerated: a bit for each.
[[nodiscard]] bool can_enumerate(const Problem& problem);

/// What the enumeration of orders came to.
struct Enumeration {
    Order order;             ///< a better one than was known; empty: none was found
    bool complete = false;   ///< no order beats `order`, or the deadline where that is empty
    std::size_t states = 0;  ///< looked at
};

/// Depth first through all orders that end before `deadline` (seconds), or rather through those
/// that matter: the slot that is free first sends to somebody or to nobody any more; like clusters
/// are served in the order of their indices; a state that is no better than one that failed, and
/// one whose slots are worth less than those who wait cost (`prices` of find_prices, empty: none),
/// are left. Goes on below what it finds, until the meter is over.
[[nodiscard]] Enumeration enumerate_orders(const Problem& problem, double deadline,
                                           const std::vector<double>& prices, Meter& meter);

/// No cluster is done sooner than over the shortest way and its inner broadcast.
[[nodiscard]] double bound_of_one(const Problem& problem);

/// The problem as the bounds see it: each cluster a class of its own.
[[nodiscard]] simulate::ClassedBroadcast each_by_itself(const Problem& problem);

}  // namespace espalier::plan::grid
