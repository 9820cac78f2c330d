#pragma once

#include <cstddef>
#include <cstdint>

namespace espalier::plan {

/// What a race spends on what, and what it takes to be equally good. bench/race is the study of
/// these numbers: how far `auto` is behind the best plan by name, and how long it plans.
struct RaceEffort {
    /// Steps for each rank of the job, and at most in all: up to a second or two for a hundred
    /// ranks, and four where very many messages share capacities.
    std::uint64_t steps_a_rank = 2'000'000;
    std::uint64_t most_steps = 200'000'000;
    /// Times as many for plans that are compared by a percentile, since they are made for three
    /// sets of costs.
    std::uint64_t times_robust = 3;
    /// The part of what is left of the budget in which candidates are made, before they are
    /// simulated.
    double part_for_making = 0.5;
    /// Plans whose times differ by no more than this part are equally fast: the one with the
    /// fewest messages in flight at once runs.
    double as_fast = 1e-3;
    /// Plans are made for one message at once, and for so many times as many again and again, up to
    /// one for each other rank.
    std::size_t more_ports = 4;
};

inline constexpr RaceEffort race_effort;

}  // namespace espalier::plan
