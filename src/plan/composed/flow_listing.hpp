#pragma once

#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <cstdint>

namespace espalier::plan::composed {

/// The cost of listing one transfer of a schedule whose messages share capacities, in steps; and
/// about what simulating it costs, if a few dozen are in flight at once.
inline constexpr std::uint64_t steps_a_flowing_transfer = 600;

/// Lists the transfers anew, in the order in which they start where every node sends what it holds
/// as soon as one of its ports is free, the first chunks first and to whom it is not sending before
/// others, and takes in whatever comes (Reception::Mode::interleaved); messages share capacities
/// fairly. So simulated it goes just so. What each transfer carries stays the same, see
/// list_greedily().
///
/// For transfers of one message each, without barriers.
void list_as_they_flow(schedule::Schedule& schedule, const simulate::Fabric& fabric);

}  // namespace espalier::plan::composed
