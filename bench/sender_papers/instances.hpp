#pragma once

#include "core/random.hpp"
#include "sender/problem.hpp"

#include <cstddef>
#include <cstdint>

namespace espalier::sender_papers {

/// Clusters as the papers draw them: a table of so many speeds, and each node picks one of them.
struct Draw {
    std::size_t classes = 3;
    std::uint64_t slowest = 10;  ///< the speeds are different whole numbers from 1 to this
};
/// A cluster that is the same for the same nodes, classes and seed. A broadcast may have any root,
/// a reduction ends in a slowest node.
[[nodiscard]] sender::Problem draw_cluster(schedule::Kind kind, std::size_t nodes, const Draw& draw,
                                           std::uint64_t seed);

/// All sequences of classes, as a tree of their beginnings: with the root of a broadcast, without
/// that of a reduction.
struct WholeTree {
    double nodes = 0;   ///< beginnings, the empty one not counted
    double leaves = 0;  ///< sequences
};
[[nodiscard]] WholeTree whole_tree(const sender::Problem& problem);

}  // namespace espalier::sender_papers
