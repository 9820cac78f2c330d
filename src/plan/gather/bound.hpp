#pragma once

#include "plan/gather/problem.hpp"

namespace espalier::plan::gather {

/// No ring of all nodes has a faster slowest step: the steps up to it connect every node to every
/// other, also without any one of them, and leave each node one successor and one predecessor of
/// its own (a cover of the nodes by cycles). Beyond some hundred nodes: each node's own best only.
[[nodiscard]] double slowest_step_bound(const Problem& problem);

/// Without what shared capacities add where several neighbours share one.
[[nodiscard]] double slowest_between_neighbours(const Problem& problem, const Order& order);

/// No all-gather of `block` bytes from each node takes less, however blocks are cut, joined and
/// passed on, where each node takes part in `ports` sends and receives at once: a node has to take
/// in all other blocks, over its fastest link at best, after that link's latency; and what no way
/// leads around a shared capacity for has to cross that.
[[nodiscard]] double all_gather_bound(const simulate::Fabric& fabric, Bytes block,
                                      std::size_t ports);

}  // namespace espalier::plan::gather
