#pragma once

#include "demands/problem.hpp"
#include "plan/exchange/planner.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace espalier::demands {

/// What a planner hands out. Its times are the simulator's affair.
struct Found {
    Order order;
    /// Proven: of all exchanges of whole messages without relays, none is better by the problem's
    /// objective.
    bool optimal = false;
    /// As exchange::Found has them.
    std::vector<std::size_t> barriers = {};
    std::vector<std::optional<std::size_t>> after = {};
};

/// Makes an order that brings every message to its receiver, within the limits if it searches.
using Planner = std::function<Found(const Problem& problem, const Limits& limits)>;

/// What a planner that knows of no demands has found.
[[nodiscard]] Found as_found(const exchange::Problem& problem, exchange::Found found);

/// The schedule that was found: a chunk for each message, in the problem's order, with what is
/// demanded of it, between nodes that have no names yet.
[[nodiscard]] schedule::Schedule make_schedule(const Problem& problem, const Found& found);

}  // namespace espalier::demands
