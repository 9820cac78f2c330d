#pragma once

#include "core/units.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

namespace espalier::plan {

/// What a message costs a rank beside what simulations say of it: calls, wake-ups, and a processor
/// that ranks of other nodes may share. Of plans that are about as good it favours those of fewer
/// messages; no prediction contains it. Twice what the shortest message between neighbours by rank
/// keeps a node busy, where the network knows that; else of the order of a call.
[[nodiscard]] Seconds message_overhead(const simulate::Fabric& fabric);

/// Of a segment more on every way, at the busiest rank: it receives it, and passes it on to three
/// others.
[[nodiscard]] constexpr Seconds segment_overhead(Seconds message) { return message * 4; }

/// Of all messages that the busiest rank sends and receives.
[[nodiscard]] Seconds overhead_of(const schedule::Schedule& schedule, Seconds message);

}  // namespace espalier::plan
