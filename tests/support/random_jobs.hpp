#pragma once

#include "core/random.hpp"
#include "network/grid_view.hpp"
#include "plan/job.hpp"

namespace espalier::test {

/// Several ranks on some nodes, none on others, in any order; at least one rank.
[[nodiscard]] plan::Job random_job(Random& random, const network::GridView& view);

/// The same ranks, numbered node by node.
[[nodiscard]] plan::Job in_order(plan::Job job);

}  // namespace espalier::test
