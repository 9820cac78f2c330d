#pragma once

#include "plan/node/problem.hpp"

#include <cstdint>
#include <vector>

namespace espalier::plan::node {

/// A time in whole ticks. Proofs are made in ticks, because sums of ticks have no rounding.
using Ticks = std::int64_t;

/// The times of a problem's classes in ticks.
///
/// Where all times are decimal fractions with few digits, a tick is a power of ten that makes them
/// whole, divided by what they have in common: then `exact`. Otherwise a tick is a power of two so
/// small that the makespan has about 2^58 of them, and times are rounded down: what is proven
/// impossible in ticks is impossible, because every node is at least as slow as its ticks say.
/// A time beyond the horizon counts as just beyond it: no such node completes a send.
struct Clock {
    std::vector<Ticks> time;  ///< of each class; > 0
    double tick = 1;          ///< one tick in the network's unit
    bool exact = false;
    Ticks horizon = 0;  ///< some schedule is over by then

    [[nodiscard]] double in_units(Ticks ticks) const { return static_cast<double>(ticks) * tick; }
};

/// `horizon`: the makespan of some schedule of this problem, in the network's unit.
[[nodiscard]] Clock make_clock(const Problem& problem, double horizon);

}  // namespace espalier::plan::node
