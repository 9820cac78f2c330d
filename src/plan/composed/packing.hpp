#pragma once

#include "core/annealing.hpp"
#include "plan/composed/forest.hpp"

#include <cstddef>
#include <cstdint>

namespace espalier::plan::composed {

/// What a search of trees goes by, as chosen on the graphs and regions of bench/packed and the
/// first sixty jobs of bench/race.
struct PackingKnobs {
    /// The part of what is left of the search for each number of trees; the best has the rest.
    double one_number = 0.1;
    /// So many numbers in vain are enough where nodes have several ports.
    std::size_t patience = 4;
    /// What twice as many are thought to add to their time, relative to the estimate.
    double cost_of_twice_the_parts = 0.03;
    /// Relative to the estimated time.
    Cooling cooling{0.1, 3e-5};
    /// How near a maximum what nearly reaches it counts as much: the p of a p-norm.
    int power = 12;
    /// What the sum of all loads counts beside their maximum, and in prices the length of a path.
    double weight_of_effort = 0.005;
    /// Nodes that are near another, which data often comes from.
    std::size_t near = 8;
    /// So many messages at once keep a node busy. Some fabrics carry more of them sooner.
    std::size_t few_ports = 4;
};
inline constexpr PackingKnobs packing_knobs;

/// Of grow(), for a Meter: half of all pairs are looked at.
[[nodiscard]] constexpr std::uint64_t steps_of_growing(std::size_t nodes) { return nodes * nodes; }

/// Joins all nodes to a tree that has only its root: each next one where its first segment and what
/// the busiest on its way then has to carry are over the soonest, given the trees grown before.
/// false: some node can't be reached.
bool grow(Forest& forest, std::size_t tree, Meter& meter);

/// Replaces one tree after the other, again and again, by the cheapest tree of all nodes if each
/// resource costs the more the longer the other trees keep it busy. Keeps the best trees seen.
void balance(Forest& forest, Meter& meter);

/// Improves trees that hold all nodes by simulated annealing until the meter is over: nodes, alone
/// or with what is below them, hang elsewhere, and centres move where nobody says which they are
/// (Forest::Directions::both). Leaves the best that it has seen.
void improve(Forest& forest, Random& random, Meter& meter);

}  // namespace espalier::plan::composed
