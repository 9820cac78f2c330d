#pragma once

#include "libraries/library.hpp"
#include "simulate/fabric.hpp"

#include <vector>

namespace espalier::libraries {

/// A library's algorithm for a call, with the messages that it sends.
class Performance {
public:
    Performance(const Call& call, const Algorithm& algorithm, Bytes segment = Bytes(0));

    [[nodiscard]] const Call& call() const { return call_; }
    [[nodiscard]] const Algorithm& algorithm() const { return *algorithm_; }
    [[nodiscard]] Bytes segment() const { return segment_; }
    [[nodiscard]] std::size_t messages() const;
    /// The simulated time, with what its messages take of processors that all nodes share; the
    /// fabric's nodes are the ranks. A rank that sends many messages at once does so only where the
    /// network says what it can send in all; elsewhere one after the other.
    [[nodiscard]] Seconds time(const simulate::Fabric& fabric) const;

private:
    Call call_;
    const Algorithm* algorithm_;
    Bytes segment_;
    schedule::Schedule schedule_;
    schedule::Schedule in_turn_;  ///< of one port; empty where that is what it has
};

}  // namespace espalier::libraries
