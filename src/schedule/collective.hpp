#pragma once

#include "core/matrix.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace espalier::schedule {

enum class Kind {
    broadcast,
    reduce,
    allreduce,
    scatter,
    gather,
    allgather,
    reduce_scatter,
    alltoall,
    barrier,
    scan,
    exscan
};

[[nodiscard]] std::string_view name_of(Kind kind);
/// nullopt for a word that names no collective.
[[nodiscard]] std::optional<Kind> find_kind(std::string_view name);
/// Broadcast, reduce, scatter and gather have a root.
[[nodiscard]] bool has_root(Kind kind);
/// Reduce, all-reduce, reduce-scatter, barrier, scan and exscan combine contributions.
[[nodiscard]] bool combines(Kind kind);
/// Whether the collective has a block for each node, which may differ (Collective::blocks): a
/// scatter, gather, all-gather and reduce-scatter.
[[nodiscard]] bool has_blocks(Kind kind);
/// Scan and exscan: what a node ends with depends on where it stands among the nodes.
[[nodiscard]] bool is_scan(Kind kind);

/// What must be true at the end: who holds which blocks, with whose contributions. `bytes` is the
/// size of one rank's operand: the message of a broadcast, the vector of a reduction or scan,
/// nothing in a barrier, one block of the others.
///
/// A barrier is an all-reduce of no bytes. After a scan node r holds the contributions [0, r],
/// after an exscan [0, r): the same transfers bring both, because all that reaches a node extends
/// what it holds to the left, and an exscan's result is all but its own.
struct Collective {
    Kind kind = Kind::broadcast;
    std::size_t nodes = 1;
    std::size_t root = 0;  ///< where has_root(kind)
    Bytes bytes;
    /// The operator is not commutative: operands combine in rank order only.
    bool ordered = false;
    /// The bytes that each node (row) has for each other (column), in a total exchange whose blocks
    /// differ; `bytes` is then the largest. The diagonal stays where it is.
    std::shared_ptr<const Matrix<Bytes>> sizes = nullptr;
    /// The bytes of each node's block, if has_blocks(kind) and blocks differ; `bytes` is then the
    /// largest.
    std::shared_ptr<const std::vector<Bytes>> blocks = nullptr;

    /// The size of the block of `node`, or of the one operand if the collective has no blocks.
    [[nodiscard]] Bytes block(std::size_t node) const { return blocks ? (*blocks)[node] : bytes; }
    /// The size of the block that `from` has for `to` in a total exchange.
    [[nodiscard]] Bytes block(std::size_t from, std::size_t to) const {
        return sizes ? (*sizes)(from, to) : bytes;
    }
};

/// The total exchange of these sizes, of which none are stated where all blocks have the same.
[[nodiscard]] Collective exchange_of_sizes(std::shared_ptr<const Matrix<Bytes>> sizes);

inline constexpr Bytes control_bytes{1};

/// A unit of meaning that travels and is held as a whole; a message of several segments travels as
/// a pipeline. Chunks of one item (say, the stripes of a multi-tree broadcast) add up to it.
struct Chunk {
    Bytes bytes;
    std::size_t segments = 1;
    /// The node whose block it is (gather, all-gather, all-to-all); nullopt: all nodes' or the
    /// root's.
    std::optional<std::size_t> source;
    /// The node whom it is for (scatter, reduce-scatter, all-to-all); nullopt: all nodes or the
    /// root.
    std::optional<std::size_t> target;
    /// A message that only coordinates (the request and answer of a rendezvous): no part of the
    /// collective's data, and every node can send it. It has `control_bytes`.
    bool control = false;
    /// When the chunk should have reached its receiver, and the weight (> 0) of missing that.
    std::optional<Seconds> deadline = std::nullopt;
    double priority = 1;
};

/// The offset at which segment `index` of `segments` begins in a message of that size. All segments
/// have ceil(bytes / segments) bytes but the last ones, which have what is left. `index` =
/// `segments` gives the message's end.
[[nodiscard]] constexpr std::uint64_t segment_offset(Bytes bytes, std::size_t segments,
                                                     std::size_t index) {
    const std::uint64_t size = (bytes.value + segments - 1) / segments;
    return std::min<std::uint64_t>(bytes.value, size * index);
}
[[nodiscard]] constexpr Bytes segment_bytes(Bytes bytes, std::size_t segments, std::size_t index) {
    return Bytes(segment_offset(bytes, segments, index + 1) -
                 segment_offset(bytes, segments, index));
}

}  // namespace espalier::schedule
