#pragma once

#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <cstdint>

namespace espalier::plan::composed {

/// What listing one transfer is taken to cost in steps of a Meter.
inline constexpr std::uint64_t steps_a_listed_transfer = 200;
[[nodiscard]] inline std::uint64_t steps_of_listing(const schedule::Schedule& schedule) {
    return steps_a_listed_transfer * schedule.transfers.size();
}

/// Lists the transfers anew, in the order in which a greedy list simulation starts them, each as
/// soon as its data is there and both its ports and what it shares are free, so that no port waits
/// for one message while it could send another. What each transfer carries stays the same: a node
/// sends a chunk after what it received of it before, and receives more of it after what it sent;
/// where operands combine in an order, receives of a chunk keep theirs.
///
/// For transfers of one message each, without barriers. Returns when the last is over by that
/// simulation, in seconds; exact where messages only queue for ports.
double list_greedily(schedule::Schedule& schedule, const simulate::Fabric& fabric);

}  // namespace espalier::plan::composed
