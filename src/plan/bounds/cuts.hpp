#pragma once

#include "plan/bounds/demand.hpp"
#include "plan/bounds/groups.hpp"

#include <vector>

namespace espalier::plan::bounds {

/// What every schedule has to bring across the edges of sets of nodes, in time: the greatest of all
/// that are looked at, in seconds. `after`: what each node still needs once it has all; empty:
/// nothing.
///
/// Cuts. For sources A in a set S and targets B beside it: a byte of A's for B leaves S over some
/// link (s, r), in a message that starts no sooner than it can have come from A to s, and that has
/// left s so long before the end that from r it can still reach B. Crossing says what time all such
/// bytes take. Sets: single nodes, what lies on either side of a shared capacity, what faster links
/// join, and, of few groups of like nodes, all unions.
///
/// Parts, of an all-reduce: each byte goes at least 2 (P - 1) times between P parts of the nodes.
///
/// All together (routing.hpp) they use more than each edge does.
[[nodiscard]] double cut_bound(const simulate::Fabric& fabric, const Matrix<Link>& links,
                               const Grouping& like, const Demand& demand, std::size_t ports,
                               const std::vector<double>& after, Meter& meter);

}  // namespace espalier::plan::bounds
