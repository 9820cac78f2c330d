#pragma once

#include "core/infinity.hpp"
#include "core/limits.hpp"
#include "plan/exchange/planner.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace espalier::demands {

namespace exchange = plan::exchange;
using exchange::Message;

/// When a message has to be with its receiver.
struct Due {
    double deadline = infinity;  ///< seconds
    double priority = 1;         ///< what missing the deadline costs; > 0
};

/// A total exchange of which more may be asked than to be over soon (bhat-1998, 6).
struct Problem : exchange::Problem {
    schedule::Reception reception;
    /// The node whose own messages are to be over as early as possible, before all else.
    std::optional<std::size_t> critical;
    /// Whether nodes may relay messages for the makespan's sake too, not only for a deadline's.
    bool relays = false;
    std::vector<Due> dues = {};  ///< by message; empty: none has a deadline

    [[nodiscard]] Due due(std::size_t message) const {
        return dues.empty() ? Due{} : dues[message];
    }
    /// Whether the critical node sends or receives it.
    [[nodiscard]] bool is_critical(const Message& message) const {
        return message.from == critical || message.to == critical;
    }
    [[nodiscard]] bool has_deadlines() const {
        return std::ranges::any_of(dues,
                                   [](const Due& due) { return due.deadline < Due{}.deadline; });
    }
    /// Whether more is asked for than to be over soon.
    [[nodiscard]] bool has_demands() const { return critical.has_value() || has_deadlines(); }
};

/// One hop of a message: its whole path, or the part to or from a relay.
struct Hop {
    std::size_t message = 0;
    std::size_t from = 0;
    std::size_t to = 0;
    friend bool operator==(const Hop&, const Hop&) = default;
};

/// The hops in their order: each node performs its sends, and its receives, in this order, each as
/// early as that allows.
using Order = std::vector<Hop>;

/// A message's hop straight to its receiver; and those of all of an order.
[[nodiscard]] Hop direct(const exchange::Problem& problem, std::size_t message);
[[nodiscard]] Order direct(const exchange::Problem& problem, const exchange::Order& order);

/// The result of a planner. It has no times, which the simulator computes.
struct Found {
    Order order;
    /// Proven: of all exchanges of whole messages without relays, none is better by the problem's
    /// objective.
    bool optimal = false;
    /// Parts of a schedule; see exchange::Found.
    std::vector<std::size_t> barriers = {};
    std::vector<std::optional<std::size_t>> after = {};
    std::vector<exchange::Signal> signals = {};  ///< in the order, behind the problem's messages

    /// Whether no message goes through other nodes.
    [[nodiscard]] bool is_direct(const exchange::Problem& problem) const {
        return order.size() == problem.messages.size() + signals.size();
    }
};
/// The result of a planner that knows of no demands.
[[nodiscard]] Found as_found(const exchange::Problem& problem, exchange::Found found);

/// Makes an order that brings every message to its receiver, within the limits if it searches.
using Planner = std::function<Found(const Problem& problem, const Limits& limits)>;

/// The schedule that was found: a chunk for each message, in the problem's order, with what is
/// demanded of it, between nodes that have no names yet.
[[nodiscard]] schedule::Schedule make_schedule(const Problem& problem, const Found& found);

}  // namespace espalier::demands
