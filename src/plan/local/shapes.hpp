#pragma once

#include "plan/local/problem.hpp"

namespace espalier::plan::local {

/// Strategies along trees of one shape each (steffenel-2006 Table 1, and `stem_binary`, ours):
/// whole; `_rendezvous`: each send prepared by a request and an answer, a node asking all its
/// children first; or `_segmented`: a node sends a segment to all its children before the next
/// segment.

/// The root sends the message to every other node, one after the other.
[[nodiscard]] Strategy flat();
[[nodiscard]] Strategy flat_rendezvous();
[[nodiscard]] Strategy flat_segmented();

/// A chain: each node passes the message on to the next; in segments, a pipeline.
[[nodiscard]] Strategy chain();
[[nodiscard]] Strategy chain_rendezvous();
[[nodiscard]] Strategy chain_segmented();

/// A binomial tree: in every round each node that holds the message sends it to one that does not;
/// position i serves i + 2^r in round r.
[[nodiscard]] Strategy binomial();
[[nodiscard]] Strategy binomial_rendezvous();
[[nodiscard]] Strategy binomial_segmented();

/// A complete binary tree: position i sends to 2i + 1, then to 2i + 2. The printed cost is an upper
/// bound.
[[nodiscard]] Strategy binary();

/// The root sends to one node, which roots a complete binary tree over the others; in segments. The
/// root spends one gap on each segment, as in a chain, at a binary tree's depth: for a coordinator
/// that has other clusters to serve as well.
[[nodiscard]] Strategy stem_binary();

}  // namespace espalier::plan::local
