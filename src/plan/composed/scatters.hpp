#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// Scatters; gathers are their mirrors (as_asked). Each chunk is one rank's block.

/// From the root to each, the far ones first.
[[nodiscard]] std::vector<schedule::Schedule> direct_blocks(const Problem& problem, Meter& meter);
/// Blocks of a subtree travel together down a tree by levels, in one message or in a few.
[[nodiscard]] std::vector<schedule::Schedule> blocks_by_levels(const Problem& problem,
                                                               Meter& meter);
/// Down a binomial tree over ranks, blind to where they sit.
[[nodiscard]] std::vector<schedule::Schedule> blocks_by_binomial(const Problem& problem,
                                                                 Meter& meter);
/// Each block by itself on the way on which it is there first, given those before it: helpers near
/// the root share what its port and one link can't carry alone.
[[nodiscard]] std::vector<schedule::Schedule> blocks_by_helpers(const Problem& problem,
                                                                Meter& meter);

}  // namespace espalier::plan::composed
