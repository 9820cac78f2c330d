#pragma once

#include "core/meter.hpp"
#include "ring/elite.hpp"
#include "ring/planner.hpp"
#include "ring/ring_walk.hpp"

namespace espalier::ring {

/// Makes every change that shortens the step, as long as there is one: hosts in, out, to another
/// place, for one another; parts of the ring reversed; other paths, and new ones at the prices of
/// the ring. Stops when the meter is over.
void descend(RingWalk& walk, Elite& elite, Meter& meter);

/// The greedy ring, made better so until no change helps, with the best bandwidths.
[[nodiscard]] Found local_search(const Problem& problem, const Settings& settings);

}  // namespace espalier::ring
