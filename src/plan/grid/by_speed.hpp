#pragma once

#include "plan/grid/problem.hpp"

namespace espalier::plan::grid {

/// Heuristics for nodes that differ only in their sending times (liu-2000, liu-2002), carried over
/// to times that depend on both ends (liu-2000, section 7): a node is as slow as it is on average
/// in sending a message (g + L) to another. Of equally fast nodes the one of least index is first.

/// Fastest node first: the fastest node that waits is next, from whoever it has the message from
/// the earliest.
[[nodiscard]] Order fastest_node_first(const Problem& problem);

/// Slowest node first, for a reduction, as a broadcast on the links turned round: the fastest node
/// that waits is next, from whoever it has the message from the earliest. Read backwards, slow
/// nodes send early, and fast ones receive from them.
[[nodiscard]] Order slowest_node_first(const Problem& turned);

}  // namespace espalier::plan::grid
