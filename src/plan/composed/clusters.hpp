#pragma once

#include "plan/composed/block_tree.hpp"

#include <cstdint>
#include <vector>

namespace espalier::plan::composed {

/// The ranks of one cluster (or site, or host). Their blocks are one run of chunks, in the order of
/// a walk over a tree from its coordinator.
struct ClusterRanks {
    Tree tree;
    Walk walk;
    std::size_t first = 0;  ///< chunk
    std::uint64_t bytes = 0;

    [[nodiscard]] std::size_t coordinator() const { return tree.root; }
    [[nodiscard]] std::size_t end() const { return first + walk.order.size(); }
    [[nodiscard]] std::size_t chunk_of(std::size_t rank) const { return first + walk.place[rank]; }
};

/// The members of a site at a depth: its members at 1; their members, where they have any, at 2.
/// Fewer than two where there is nothing to split.
[[nodiscard]] std::vector<const Site*> members_at(const Site& site, std::size_t depth);

/// The ranks of each innermost cluster that the job uses.
[[nodiscard]] std::vector<std::vector<std::size_t>> innermost_clusters(const Problem& problem);

/// Those of the job's site, with trees by levels of that radix inside, chunks numbered one cluster
/// after the other.
[[nodiscard]] std::vector<ClusterRanks> clusters_at(const Problem& problem, std::size_t depth,
                                                    std::size_t radix);

}  // namespace espalier::plan::composed
