#pragma once

#include "core/units.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
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

    [[nodiscard]] double duration() const { return gap + latency; }
};

/// A total exchange to be scheduled (bhat-1998, 4.1): messages of more than 0 bytes, each between
/// two nodes that differ, by sender and then by receiver, no pair twice.
struct Problem {
    const simulate::Fabric* fabric = nullptr;  ///< what messages share
    std::vector<Message> messages;
    std::size_t ports = 1;  ///< sends, and receives, that a node takes part in at once

    /// Seconds until which each port still has to do with messages of before, by node * ports +
    /// port; empty: with none. Planners that do not look at it plan as if all were free.
    std::vector<double> send_ready = {};
    std::vector<double> receive_ready = {};

    [[nodiscard]] std::size_t nodes() const { return fabric->nodes(); }
    /// Whether messages share more than the ports of their ends.
    [[nodiscard]] bool shares() const { return !fabric->capacities().empty(); }
};

/// The messages, by who goes first: each node performs its sends, and its receives, in this order,
/// each as early as that allows.
using Order = std::vector<std::size_t>;

}  // namespace espalier::plan::exchange
