#pragma once

#include "core/annealing.hpp"
#include "core/meter.hpp"
#include "core/random.hpp"
#include "ring/elite.hpp"
#include "ring/moves.hpp"
#include "ring/ring_walk.hpp"

#include <cmath>

namespace espalier::ring {

/// A ring by an estimate of T, and the prices that lead to it.
struct PricedRing {
    double step_time = 0;
    PooledRing ring;
    Prices prices;

    /// Whether the two have the same step time: mostly it is then the same ring, begun elsewhere or
    /// run through in reverse.
    [[nodiscard]] bool is_like(const PricedRing& other) const {
        return std::abs(other.step_time - step_time) <= 1e-9 * step_time &&
               other.ring.size() == ring.size();
    }
};

/// Changes the ring at random, or its paths, and keeps what makes the step shorter, and with a
/// falling probability what makes it longer, until `limits` are used up, or at a temperature of 0,
/// until no change of many helps. They count for `meter` as well. The best rings on the way become
/// members of the elite.
void anneal(RingWalk& walk, Elite<PricedRing>& elite, const Cooling& cooling, Moves& moves,
            Random& random, Meter& meter, const Limits& limits);

}  // namespace espalier::ring
