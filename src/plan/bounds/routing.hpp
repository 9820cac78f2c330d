#pragma once

#include "core/meter.hpp"
#include "plan/bounds/demand.hpp"
#include "plan/bounds/groups.hpp"

namespace espalier::plan::bounds {

/// What ports and capacities need for all blocks together, in seconds. Give the time of each of
/// them a price. Then a byte pays for every link that it takes; so it pays at least what the
/// cheapest way to its target costs, or, where copies are wanted everywhere, the cheapest tree. No
/// time is enough in which all ports and capacities together are worth less than all bytes have to
/// pay. Prices that say much are found by raising, again and again, those of what the cheapest ways
/// keep busy, until the meter is over. 0 for scans. Where links share their capacity
/// both ways, this is what spanning trees can carry (Tutte; Nash-Williams).
///
/// A byte of an all-reduce pays for a tree to the first node that has all contributions, and
/// afterwards for at least one message into each other node.
[[nodiscard]] double routing_bound(const Groups& groups, const Demand& demand, Meter& meter);

}  // namespace espalier::plan::bounds
