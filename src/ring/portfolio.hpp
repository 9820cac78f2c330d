#pragma once

#include "ring/planner.hpp"

namespace espalier::ring {

/// The best of a portfolio: every ring of a small platform; the greedy rings with each refinement;
/// local search; simulated annealing, from several rings and again from the best. Seeded: the same
/// problem and `limits.work` give the same ring on every machine, unless `limits.time` cuts the
/// search short. Never worse than greedy with any refinement that had the time to end.
[[nodiscard]] Found automatic(const Problem& problem, const Settings& settings);

/// Simulated annealing alone.
[[nodiscard]] Found annealing(const Problem& problem, const Settings& settings);

/// The greedy ring, changed as long as that makes the step shorter, with the best bandwidths.
[[nodiscard]] Found local_search(const Problem& problem, const Settings& settings);

}  // namespace espalier::ring
