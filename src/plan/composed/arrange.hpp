#pragma once

#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

namespace espalier::plan::composed {

/// Puts the transfers of a schedule that only copies, and brings a chunk to a node once, into an
/// order in which ports wait for little. First all are timed greedily: whatever can start next
/// starts, receivers taking in what comes. Then the list is made to follow these times at senders
/// and at receivers, as far as one list can do both.
void arrange(schedule::Schedule& schedule, const simulate::Fabric& fabric);

}  // namespace espalier::plan::composed
