#pragma once

#include "plan/gather/problem.hpp"

namespace espalier::plan::gather {

/// From each node to the nearest that is left, and home: by steps, or by hops where the sum counts.
[[nodiscard]] Order nearest_neighbours(const Problem& problem, Aim aim, std::size_t first);

/// Moves runs of nodes elsewhere, as they are or turned round, and turns parts of the ring round,
/// as long as that makes it better and the meter is not over.
[[nodiscard]] Order descend(const Problem& problem, Aim aim, Order order, Meter& meter);

/// Descends, then kicks the ring (a random part changes places with its neighbour) and descends
/// again, until that has been in vain for long, or the meter is over.
[[nodiscard]] Order improve(const Problem& problem, Aim aim, Order order, Meter& meter);

}  // namespace espalier::plan::gather
