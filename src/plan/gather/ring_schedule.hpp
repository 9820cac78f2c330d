#pragma once

#include "plan/gather/problem.hpp"
#include "schedule/schedule.hpp"

#include <memory>
#include <string>
#include <vector>

namespace espalier::plan::gather {

/// Every node sends its own block to the next one in the ring, and then what it received last: step
/// by step, until all have all. Blocks are of `block` bytes, or each of its own size.
[[nodiscard]] schedule::Schedule make_ring_schedule(
    const Order& order, Bytes block, std::shared_ptr<const std::vector<Bytes>> blocks,
    std::vector<std::string> names);

/// The ring that such a schedule goes round; of one node, that node.
[[nodiscard]] Order ring_of(const schedule::Schedule& schedule);

}  // namespace espalier::plan::gather
