#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// All-gathers of long blocks, and reduce-scatters as their mirrors: each block over one tree, or
/// over 2 or 4 at once, of its own, which any rank may relay for, such that all trees of all blocks
/// together keep ports and links busy evenly. Blocks are cut into segments where that pays. None
/// where blocks have to go direct, and for more ranks than trees are looked for among.
[[nodiscard]] std::vector<schedule::Schedule> packed_blocks(const Problem& problem);

}  // namespace espalier::plan::composed
