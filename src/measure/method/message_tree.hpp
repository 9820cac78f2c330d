#pragma once

#include <cstddef>
#include <vector>

namespace espalier::measure {

/// One rank's place in the tree over which control messages go from rank 0 to all, and back.
struct MessageTree {
    int parent = 0;             ///< rank 0's own is itself
    std::vector<int> children;  ///< those that this rank speaks to
    /// How many ranks each child speaks for, itself included; in the order of `children`.
    std::vector<std::size_t> sizes;
    /// All that this rank speaks for: itself, then those of each child, in the order of that.
    std::vector<int> ranks;
};

/// The place of `rank` in the tree of groups of ranks, of which each rank is in one. Rank 0 speaks
/// to the first rank of each group, and this one to the others, so that a slow link between groups
/// is crossed once. Whoever would speak to many speaks to some of them, who speak to the others: no
/// rank has more than a few times the square root of all to speak to, and what all say takes
/// constant time, but for bytes.
[[nodiscard]] MessageTree message_tree(const std::vector<std::vector<int>>& groups, int rank);

}  // namespace espalier::measure
