#pragma once

#include "core/meter.hpp"
#include "plan/exchange/problem.hpp"

#include <optional>

namespace espalier::plan::exchange {

/// A message without data, which tells its receiver that what its sender had to send before it has
/// left.
struct Signal {
    std::size_t from = 0;
    std::size_t to = 0;
};

/// What a planner hands out. Its times are the simulator's affair.
struct Found {
    Order order;
    /// In the order these are numbered behind the problem's messages.
    std::vector<Signal> signals = {};
    /// See schedule::Schedule::barriers.
    std::vector<std::size_t> barriers = {};
    /// See schedule::Transfer::after, by place in the order; empty: nothing is waited for.
    std::vector<std::optional<std::size_t>> after = {};
};

/// Puts all messages into an order. Whoever searches spends from the meter, and stops when it is
/// over.
using Planner = Found (*)(const Problem& problem, Meter& meter);

/// From whom to whom the message or signal of that number goes.
[[nodiscard]] Signal ends_of(const Problem& problem, const Found& found, std::size_t number);

/// The schedule that was found: a chunk for each message, in the problem's order, between nodes
/// that have no names yet.
[[nodiscard]] schedule::Schedule make_schedule(const Problem& problem, const Found& found);

}  // namespace espalier::plan::exchange
