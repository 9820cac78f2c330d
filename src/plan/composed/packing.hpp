#pragma once

#include "core/meter.hpp"
#include "core/random.hpp"
#include "plan/composed/cuts.hpp"
#include "plan/composed/forest.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::plan::composed {

/// So many messages at once keep a node busy.
inline constexpr std::size_t few_ports = 4;

/// Joins all nodes to a tree that has only its root: each next one where its first segment and what
/// the busiest on its way then has to carry are over the soonest, given the trees grown before.
/// false: some node can't be reached.
bool grow(Forest& forest, std::size_t tree);

/// Replaces one tree after the other, again and again, by the cheapest tree of all nodes if each
/// resource costs the more the longer the other trees keep it busy. Keeps the best trees seen.
void balance(Forest& forest, Meter& meter);

/// Improves trees that hold all nodes by simulated annealing: nodes, alone or with what is below
/// them, hang elsewhere, and centres move where nobody says which they are. Leaves the best that it
/// has seen. At first, changes for the worse by the part `hottest` of all are usual.
void anneal(Forest& forest, bool moves_roots, std::uint64_t steps, double hottest, Random& random,
            Meter& meter);

/// In which order messages, so many on each tree, leave: those of a tree evenly spread over the
/// time until its last one has to.
[[nodiscard]] Turns spread_turns(Forest& forest, const std::vector<std::size_t>& messages);

}  // namespace espalier::plan::composed
