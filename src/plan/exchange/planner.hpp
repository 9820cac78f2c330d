#pragma once

#include "plan/exchange/problem.hpp"
#include "plan/limits.hpp"

namespace espalier::plan::exchange {

/// What a planner hands out. Its times are the simulator's affair.
struct Found {
    Order order;
    /// See schedule::Schedule::barriers.
    std::vector<std::size_t> barriers = {};
    /// See schedule::Transfer::after, by place in the order; empty: nothing is waited for.
    std::vector<std::optional<std::size_t>> after = {};
    /// Seconds that no exchange of whole messages without relays can beat; 0: nothing beyond
    /// exchange_bound() was found.
    double lower_bound = 0;
    /// Proven: of all exchanges of whole messages without relays, none is better by the problem's
    /// objective.
    bool optimal = false;
    /// Proven likewise: the critical node is never done sooner (seconds), and messages of at least
    /// this priority always miss their deadlines; 0: nothing beyond critical_bound() and
    /// missed_bound().
    double critical_bound = 0;
    double missed_bound = 0;
};

/// Makes an order that brings every message to its receiver, within the limits if it searches.
using Planner = Found (*)(const Problem& problem, const Limits& limits);

}  // namespace espalier::plan::exchange
