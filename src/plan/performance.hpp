#pragma once

#include "core/units.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>

namespace espalier::plan {

/// Messages between ranks that know nothing of the network, as a library performs a call.
class Performance {
public:
    /// Whether a rank sends several at once is said by the schedule's ports: more than one, where
    /// there is no order.
    explicit Performance(schedule::Schedule messages);
    /// Messages that all leave at once, whatever the network says: in turn, of an exchange between
    /// few, near ones would wait for far ones.
    [[nodiscard]] static Performance at_once(schedule::Schedule messages);

    [[nodiscard]] std::size_t messages() const;
    /// The simulated time, with what its messages take of processors that all nodes share; the
    /// fabric's nodes are the ranks. A rank that sends many messages at once does so only where the
    /// network says what it can send in all; elsewhere one after the other.
    [[nodiscard]] Seconds time(const simulate::Fabric& fabric) const;

private:
    Performance() = default;

    schedule::Schedule schedule_;
    schedule::Schedule in_turn_;  ///< of one port; empty where that is what it has
};

}  // namespace espalier::plan
