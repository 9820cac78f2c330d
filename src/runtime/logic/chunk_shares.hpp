#pragma once

#include "runtime/logic/rank_program.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace espalier::runtime {

/// The share of an item of the collective that a chunk is: [begin, end) of `of` parts.
struct ChunkShare {
    std::size_t source = 0;  ///< 0 where an item has none
    std::size_t target = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 1;
    std::uint64_t of = 1;
    bool empty = false;

    [[nodiscard]] bool follows(const ChunkShare& other) const {
        return source == other.source && target == other.target && begin == other.end &&
               empty == other.empty;
    }
    [[nodiscard]] RankProgram::Chunk chunk() const;
};

/// The part of its item that each chunk of a schedule is. Chunks of one item are its parts in their
/// order, in proportion to their bytes; of an item of no bytes the first chunk is all.
[[nodiscard]] std::vector<ChunkShare> shares_of(const schedule::Schedule& schedule);

/// A run of an item, [begin, end) of its shares, that is cut into segments.
struct ShareRun {
    std::uint64_t begin = 0;
    std::uint64_t end = 1;
    std::size_t segments = 1;

    /// The segments [first, last) of another run of the same item that overlap this run's segment.
    [[nodiscard]] std::pair<std::size_t, std::size_t> overlapping(std::size_t segment,
                                                                  const ShareRun& other) const;
};

}  // namespace espalier::runtime
