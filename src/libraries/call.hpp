#pragma once

#include "core/units.hpp"
#include "schedule/collective.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>

namespace espalier::libraries {

/// A call of a collective as a communication library sees it: of the network it knows how many
/// ranks there are. The root is rank 0.
struct Call {
    schedule::Kind kind = schedule::Kind::broadcast;
    std::size_t ranks = 1;
    Bytes bytes;  ///< of one rank's operand, or of a block
};

/// A library's way to perform a call, as messages between its ranks that know nothing of the
/// network: each carries a chunk of its own, or the tree's. `segment` is the size into which trees
/// and chains cut a message; 0: none.
using Pattern = schedule::Schedule (*)(const Call& call, Bytes segment);

/// Whether one rank exchanges messages with many others at once, rather than with one after the
/// other, is said by the schedule's ports: more than one, where there is no order.
[[nodiscard]] schedule::Schedule binomial_tree(const Call& call, Bytes segment);
/// Trees of a broadcast, or of a reduction. `strided`: rank r's children are r + 2^k for each 2^k
/// > r, nearest first, so that subtrees interleave; others hold ranks that follow each other.
[[nodiscard]] schedule::Schedule strided_binomial_tree(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule four_nomial_tree(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule binary_tree(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule chain(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule two_chains(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule star(const Call& call, Bytes segment);

/// A broadcast of parts, then all-gathered by doubling or around a ring.
[[nodiscard]] schedule::Schedule scatter_doubling(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule scatter_ring(const Call& call, Bytes segment);

/// Reductions by recursive halving of the vector, from near partners to far ones, followed by a
/// gather to the root, or by recursive doubling (Rabenseifner).
[[nodiscard]] schedule::Schedule halving_gather(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule halving_doubling(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule recursive_doubling(const Call& call, Bytes segment);
/// An all-reduce as a reduction along a star, or a binomial tree, and a broadcast along it.
[[nodiscard]] schedule::Schedule star_and_back(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule binomial_and_back(const Call& call, Bytes segment);
/// An all-reduce, all-gather or reduce-scatter around a ring.
[[nodiscard]] schedule::Schedule ring(const Call& call, Bytes segment);

/// All-gathers: by messages to ranks 1, 2, 4, … before; likewise between pairs of a power of two of
/// ranks (`bruck` of others); between neighbours, an even number of which it takes (else `ring`).
[[nodiscard]] schedule::Schedule bruck(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule pairs_doubling(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule neighbour_exchange(const Call& call, Bytes segment);

/// Total exchanges and reduce-scatters: all messages at once; in ranks - 1 steps.
[[nodiscard]] schedule::Schedule at_once(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule pairwise(const Call& call, Bytes segment);
/// A reduce-scatter by recursive halving, from far partners to near ones; as a reduction and a
/// scatter.
[[nodiscard]] schedule::Schedule far_halving(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule reduce_and_scatter(const Call& call, Bytes segment);

/// Scans from rank to rank; in rounds in which what a rank has goes 1, 2, 4, … ranks further.
[[nodiscard]] schedule::Schedule scan_chain(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule scan_doubling(const Call& call, Bytes segment);

/// Scatters and gathers along a binomial tree; straight, one after the other; all at once.
[[nodiscard]] schedule::Schedule binomial_blocks(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule straight(const Call& call, Bytes segment);
[[nodiscard]] schedule::Schedule straight_at_once(const Call& call, Bytes segment);

}  // namespace espalier::libraries
