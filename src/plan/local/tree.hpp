#pragma once

#include "plan/local/problem.hpp"

#include <cstddef>
#include <functional>

namespace espalier::plan::local {

/// The shape of a tree over positions 0 .. P-1 from the root at 0: the parent of each position but
/// the first, which lies before it. A node serves its children in the order of their positions.
using ParentOf = std::function<std::size_t(std::size_t position)>;

/// The number of segments that is really made: at least 1, and none empty.
[[nodiscard]] std::size_t usable_segments(Bytes bytes, std::size_t segments);
/// The number of segments of least `time(segments)` among 1, 2, 4, ... up to `most` >= 1, that is,
/// of s = m / 2^i (steffenel-2006 section 4.2); the fewest among equals.
[[nodiscard]] std::size_t best_segments(std::size_t most,
                                        const std::function<Seconds(std::size_t)>& time);
/// s = ceil(m / k) for a usable k.
[[nodiscard]] Bytes segment_size(Bytes bytes, std::size_t segments);

/// The node at a position of a shape whose position 0 is the root.
[[nodiscard]] std::size_t node_at(const Problem& problem, std::size_t root, std::size_t position);

/// A broadcast of the whole message as one chunk, with no transfer yet.
[[nodiscard]] schedule::Schedule without_transfers(const Problem& problem, std::size_t root,
                                                   std::size_t segments);

/// The message travels down a tree, pipelined if in several segments: every node sends a segment to
/// all its children before the next segment.
[[nodiscard]] schedule::Schedule along_tree(const Problem& problem, std::size_t root,
                                            std::size_t segments, const ParentOf& parent_of);

/// The tree's schedule in one piece, each send after a handshake (rendezvous): a node that holds
/// the message sends a request of one byte to every child, each child answers with one byte, and a
/// child's data goes once its answer is in. So the handshakes of one node's children overlap.
[[nodiscard]] schedule::Schedule along_tree_by_rendezvous(const Problem& problem, std::size_t root,
                                                          const ParentOf& parent_of);

}  // namespace espalier::plan::local
