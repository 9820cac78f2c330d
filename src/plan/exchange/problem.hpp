#pragma once

#include "core/units.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace espalier::plan::exchange {

/// What one node has for another, and what it costs to bring it there directly, in seconds: the
/// sender's port is busy [start, start + gap], the receiver's `latency` later.
struct Message {
    std::size_t from = 0;
    std::size_t to = 0;
    Bytes bytes;
    double gap = 0;
    double latency = 0;
    double deadline = std::numeric_limits<double>::infinity();
    double priority = 1;  ///< what missing the deadline costs; > 0

    [[nodiscard]] double duration() const { return gap + latency; }
};

/// A total exchange to be scheduled (bhat-1998, 4.1): messages of more than 0 bytes, each between
/// two nodes that differ, by sender and then by receiver, no pair twice.
struct Problem {
    const simulate::Fabric* fabric = nullptr;  ///< what relays cost, what messages share
    std::vector<Message> messages;
    std::size_t ports = 1;  ///< sends, and receives, that a node takes part in at once
    schedule::Reception reception;
    /// The node whose own messages are to be over as early as possible, before all else.
    std::optional<std::size_t> critical;
    /// Other nodes may pass on messages for the makespan's sake too, not only for a deadline's.
    bool relays = false;

    /// Seconds until which each port still has to do with messages of before, by node * ports +
    /// port; empty: with none. Planners that do not look at it plan as if all were free.
    std::vector<double> send_ready = {};
    std::vector<double> receive_ready = {};

    [[nodiscard]] std::size_t nodes() const { return fabric->nodes(); }
    [[nodiscard]] bool has_deadlines() const {
        for (const Message& message : messages)
            if (message.deadline < std::numeric_limits<double>::infinity()) return true;
        return false;
    }
    /// Whether more is asked for than to be over soon.
    [[nodiscard]] bool has_demands() const { return critical.has_value() || has_deadlines(); }
    /// Whether messages share more than the ports of their ends.
    [[nodiscard]] bool shares() const { return !fabric->capacities().empty(); }
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

[[nodiscard]] inline Hop direct(const Problem& problem, std::size_t message) {
    return {message, problem.messages[message].from, problem.messages[message].to};
}

}  // namespace espalier::plan::exchange
