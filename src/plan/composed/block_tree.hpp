#pragma once

#include "plan/composed/pieces.hpp"

#include <cstdint>
#include <vector>

namespace espalier::plan::composed {

/// The size of each rank's block.
[[nodiscard]] std::vector<std::uint64_t> block_sizes(const Problem& problem);

/// Blocks in the order of a walk over a tree that visits parents first, so that those of a subtree
/// are one run: `place[rank]` is that of a rank's own, and its subtree's are the `size[rank]` from
/// there on.
struct Walk {
    std::vector<std::size_t> order;  ///< of ranks
    std::vector<std::size_t> place;
    std::vector<std::size_t> size;
};
[[nodiscard]] Walk walk_over(const Tree& tree);

/// Puts every node's children into the order in which a scatter down the tree, each edge carrying
/// its subtree's blocks as one message, is over the soonest: those with the most to follow after
/// the message has left come first (Jackson's rule for one machine and tails; exact for one port
/// where no capacity is shared). Returns what the scatter takes by that.
double order_by_tails(Tree& tree, const simulate::Fabric& fabric,
                      const std::vector<std::uint64_t>& blocks);

/// Appends transfers that bring to each node the chunks of its subtree, chunk i being that of
/// walk.order[i]. Messages are cut, between chunks, into pieces of at least `piece` bytes, so that
/// a node can pass on the first while it receives the others; 0: not at all.
void distribute(schedule::Schedule& schedule, const Tree& tree, const Walk& walk,
                std::uint64_t piece);

/// A tree by levels, inside each site from its coordinator: straight to all other members'
/// coordinators, or, where members are single ranks, down a k-nomial tree of this radix (2:
/// binomial).
[[nodiscard]] Tree tree_by_levels(const Problem& problem, std::size_t root, std::size_t radix);
/// Adds the ranks of one site to a tree whose root is one of them.
void add_levels(const Problem& problem, const Site& site, std::size_t radix, Tree& tree);

/// Gives nodes of `movable` other parents among `movable` as long as that makes a scatter shorter
/// by order_by_tails(), which orders the children of the result, and the meter allows.
void move_subtrees(Tree& tree, const std::vector<std::size_t>& movable,
                   const simulate::Fabric& fabric, const std::vector<std::uint64_t>& blocks,
                   Meter& meter);

/// Blind to where ranks sit: node 0 of the order is the root, subtrees of powers of `radix`.
void add_knomial(Tree& tree, const std::vector<std::size_t>& order, std::size_t radix);

/// The rank of a site from which the others of it are near; `root` where that is one of them.
[[nodiscard]] std::size_t coordinator_of(const Problem& problem, const Site& site,
                                         std::size_t root);
/// That of each member of the outermost site, the root first.
[[nodiscard]] std::vector<std::size_t> coordinators_of(const Problem& problem, std::size_t root);

}  // namespace espalier::plan::composed
