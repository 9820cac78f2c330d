#pragma once

#include "core/limits.hpp"
#include "sender/problem.hpp"
#include "sender/sequence.hpp"
#include "sender/ticks.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace espalier::sender {

/// Why no schedule is over by `deadline`, in whole numbers that anyone can check in one backward
/// pass (docs/sender.md, slot prices).
struct Proof {
    struct Class {
        Ticks time = 0;
        std::uint64_t count = 0;
        std::int64_t price = 0;  ///< in 1 / price_unit of a node; >= 0
    };
    double tick = 1;             ///< in the network's own unit
    std::vector<Class> classes;  ///< every node is at least as slow as its place in here says
    std::int64_t price_unit = 1;
    Ticks deadline = 0;     ///< no schedule is over by then
    Ticks lower_bound = 0;  ///< the next time at which one could be

    /// The lower bound in the network's own unit.
    [[nodiscard]] double bound() const { return static_cast<double>(lower_bound) * tick; }
};

/// The work of a search, as the papers count it.
struct Effort {
    std::uint64_t nodes = 0;   ///< partial sequences
    std::uint64_t leaves = 0;  ///< whole sequences
};

/// The result of a planner of this family.
struct Result {
    Sequence sequence;
    double makespan = 0;     ///< of that sequence, in the network's own unit
    double lower_bound = 0;  ///< no schedule is faster; 0 where the planner knows none
    bool optimal = false;    ///< proven
    std::optional<Proof> proof;
    Effort effort;

    /// Keeps the sequence if it is faster.
    void offer(const Problem& problem, Sequence other);
    /// Raises the lower bound. The result is optimal if its makespan is no more, but for the
    /// rounding of sums of times.
    void raise_bound(double bound);
    /// Raises the bound to what the proof says, and keeps it if it says more than the one before.
    void offer(Proof other);
};

using Planner = Result (*)(const Problem& problem, const Limits& limits);

}  // namespace espalier::sender
