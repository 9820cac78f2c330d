#pragma once

#include "ring/planner.hpp"

#include <cstddef>

namespace espalier::ring {

/// The best ring of all, for small platforms: over all subsets of the hosts and all cyclic orders
/// of them, a ring and its mirror being one; each with its best bandwidths. Paths are the problem's
/// routes, or, where the settings ask for PathChoice::all, every simple path for each of the 2q
/// paths; a network that lists its routes has no others. Branch and bound: hosts are put in one by
/// one as long as they may still lead to a shorter step than the best that is known, then paths are
/// chosen one by one likewise. Proven, to within 1e-9 of T, unless time runs out. Throws InputError
/// where every simple path is asked for and there are too many.
[[nodiscard]] Found optimal(const Problem& problem, const Settings& settings);

}  // namespace espalier::ring
