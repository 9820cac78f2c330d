#pragma once

#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

namespace espalier::plan::composed {

/// Lists the transfers anew, in the order in which they start where every node sends what it holds
/// as soon as one of its ports is free, the first chunks first and to whom it is not sending before
/// others, and takes in whatever comes (Reception::Mode::interleaved, which the schedule then has);
/// messages share capacities fairly. So simulated it goes just so. What each transfer carries stays
/// the same, see list_greedily().
///
/// For transfers of one message each, without barriers. It costs what simulating them does. Returns
/// when the last is over, in seconds.
double list_as_they_flow(schedule::Schedule& schedule, const simulate::Fabric& fabric);

}  // namespace espalier::plan::composed
