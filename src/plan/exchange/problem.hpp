#pragma once

#include "core/units.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"
#include "simulate/slots.hpp"

#include <cstddef>
#include <string_view>
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
    schedule::Collective collective = {};      ///< of which messages may have been sent already
    std::vector<Message> messages = {};
    std::size_t ports = 1;  ///< sends, and receives, that a node takes part in at once

    /// When each node's ports are done with messages of before; empty: all are. Planners that do
    /// not look at it plan as if all were free.
    std::vector<simulate::Slots> send_ready = {};
    std::vector<simulate::Slots> receive_ready = {};

    [[nodiscard]] std::size_t nodes() const { return fabric->nodes(); }
    /// Of each node: as they are ready, or free.
    [[nodiscard]] std::vector<simulate::Slots> sending_ports() const;
    [[nodiscard]] std::vector<simulate::Slots> receiving_ports() const;
    /// Whether messages share more than the ports of their ends.
    [[nodiscard]] bool shares() const { return !fabric->capacities().empty(); }
};

/// The messages of a total exchange, with what they cost. Throws InputError for sizes of another
/// order than the fabric's, and naming the pair where a cost is needed and not known.
[[nodiscard]] Problem make_problem(const simulate::Fabric& fabric, schedule::Collective collective,
                                   std::size_t ports = 1);

/// Throws InputError where a matrix of `what` has not a row and a column for each node.
void require_order(std::size_t rows, std::size_t columns, std::size_t nodes, std::string_view what);

/// The messages, by who goes first: each node performs its sends, and its receives, in this order,
/// each as early as that allows.
using Order = std::vector<std::size_t>;

}  // namespace espalier::plan::exchange
