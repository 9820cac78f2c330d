#pragma once

#include "plan/composed/pieces.hpp"

namespace espalier::plan::composed {

/// Where data goes on a tree: away from the root, or towards it.
enum class Direction { down, up };

/// A tree by levels for messages of `bytes`: inside each site one rank of each member, the root's
/// own or the member's first, gets the message, and passes it on inside when it has served others.
/// Each next one is the one that is done first, what it needs inside counted too (ECEF with the
/// time inside, steffenel-2006 5.5); among like members that is the tree of the postal model.
[[nodiscard]] Tree level_tree(const Problem& problem, std::size_t root, Bytes bytes,
                              Direction direction);
/// What it costs in steps of a Meter: each member is compared with each.
[[nodiscard]] std::uint64_t level_tree_steps(const Problem& problem);

}  // namespace espalier::plan::composed
