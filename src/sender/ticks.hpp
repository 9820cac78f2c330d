#pragma once

#include "sender/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace espalier::sender {

/// A time in whole ticks. Proofs are made in ticks, because sums of ticks have no rounding.
using Ticks = std::int64_t;

/// A problem in whole ticks.
///
/// Where all times are decimal fractions with few digits, a tick is a power of ten that makes them
/// whole, divided by what they have in common: then `exact`. Otherwise a tick is a power of two so
/// small that the makespan has about 2^58 of them, and times are rounded down: what is proven
/// impossible in ticks is impossible, because every node is at least as slow as its ticks say.
/// A time beyond the horizon counts as just beyond it: no such node completes a send. A class may
/// be as slow as its neighbour here, because rounding down can make them alike; none is slower than
/// the next.
struct TickProblem {
    schedule::Kind kind = schedule::Kind::broadcast;
    std::vector<Ticks> time;           ///< of each class; > 0
    std::vector<std::uint64_t> count;  ///< of each class, the root included
    std::optional<std::size_t> root;   ///< its class; none: any (broadcast only)
    std::size_t ports = 1;
    double tick = 1;  ///< one tick in the network's unit
    bool exact = false;
    Ticks horizon = 0;  ///< some schedule is over by then

    [[nodiscard]] double in_units(Ticks ticks) const { return static_cast<double>(ticks) * tick; }
    [[nodiscard]] std::size_t classes() const { return time.size(); }
    [[nodiscard]] std::uint64_t nodes() const {
        return std::accumulate(count.begin(), count.end(), std::uint64_t{0});
    }
    [[nodiscard]] bool is_broadcast() const { return kind == schedule::Kind::broadcast; }
};

/// `horizon`: the makespan of some schedule of this problem, in the network's unit.
[[nodiscard]] TickProblem in_ticks(const Problem& problem, double horizon);

}  // namespace espalier::sender
