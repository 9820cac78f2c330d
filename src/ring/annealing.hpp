#pragma once

#include "core/meter.hpp"
#include "core/random.hpp"
#include "ring/elite.hpp"
#include "ring/ring_walk.hpp"

#include <cstdint>

namespace espalier::ring {

/// How warm: the T by which a step may get longer with a probability of 1/e, relative to T.
struct Cooling {
    double first = 0.03;
    double last = 0.0003;
};

/// Changes the ring at random (a host in, out, to another place or for another one; part of the
/// ring reversed; another path) and keeps what makes the step shorter, and with a falling
/// probability what makes it longer, until `limits` are used up. They count for `meter` as well.
/// The best rings on the way become members of the elite.
void anneal(RingWalk& walk, Elite& elite, const Cooling& cooling, Random& random, Meter& meter,
            const Limits& limits);

}  // namespace espalier::ring
