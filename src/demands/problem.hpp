#pragma once

#include "core/limits.hpp"
#include "core/meter.hpp"
#include "plan/exchange/problem.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace espalier::demands {

namespace exchange = plan::exchange;
using exchange::Message;

/// By when a message has to be with its receiver.
struct Due {
    double deadline = std::numeric_limits<double>::infinity();  ///< seconds
    double priority = 1;  ///< what missing the deadline costs; > 0
};

/// A total exchange of which more may be asked than to be over soon (bhat-1998, 6).
struct Problem : exchange::Problem {
    schedule::Reception reception;
    /// The node whose own messages are to be over as early as possible, before all else.
    std::optional<std::size_t> critical;
    /// Other nodes may pass on messages for the makespan's sake too, not only for a deadline's.
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
        for (const Due& one : dues)
            if (one.deadline < std::numeric_limits<double>::infinity()) return true;
        return false;
    }
    /// Whether more is asked for than to be over soon.
    [[nodiscard]] bool has_demands() const { return critical.has_value() || has_deadlines(); }
};

/// One way of a message: its whole way, or to or from a node that passes it on.
struct Hop {
    std::size_t message = 0;
    std::size_t from = 0;
    std::size_t to = 0;
    friend bool operator==(const Hop&, const Hop&) = default;
};

/// Who sends what when: each node performs its sends, and its receives, in this order, each as
/// early as that allows.
using Order = std::vector<Hop>;

[[nodiscard]] inline Hop direct(const exchange::Problem& problem, std::size_t message) {
    return {message, problem.messages[message].from, problem.messages[message].to};
}
/// All of them straight to their receivers.
[[nodiscard]] inline Order direct(const exchange::Problem& problem, const exchange::Order& order) {
    Order hops;
    hops.reserve(order.size());
    for (const std::size_t message : order) hops.push_back(direct(problem, message));
    return hops;
}

}  // namespace espalier::demands
