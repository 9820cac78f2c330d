#pragma once

#include "runtime/logic/rank_program.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace espalier::runtime {

/// The messages of a transfer, in their order: its segments, each of them cut into pieces where
/// that is faster. Where several blocks travel together, pieces are some of the blocks, or segments
/// of one.
class Parts {
public:
    /// The content of one message: several whole chunks, or one segment of the run that they make
    /// together.
    struct Part {
        std::size_t chunk = 0;
        std::size_t chunks = 1;
        std::size_t segment = 0;
        std::size_t segments = 1;
    };

    /// `transfer`, in segments of `pieces` pieces.
    Parts(const schedule::Transfer& transfer, std::size_t segments, std::size_t pieces)
        : whole_{transfer.chunk, transfer.chunks, 0, segments * pieces}, pieces_(pieces) {}
    /// A transfer that is one message of blocks apart, in messages of at most `most` bytes.
    Parts(const schedule::Schedule& schedule, const schedule::Transfer& transfer, Bytes most);

    [[nodiscard]] std::size_t count() const {
        return listed_.empty() ? whole_.segments : listed_.size();
    }
    [[nodiscard]] Part operator[](std::size_t index) const;
    /// The schedule's segment that the message is of.
    [[nodiscard]] std::size_t segment_of(std::size_t index) const { return index / pieces_; }
    /// The range [first, last) of the messages that carry something of `chunk`.
    [[nodiscard]] std::pair<std::size_t, std::size_t> with(std::size_t chunk) const;

private:
    Part whole_;
    std::size_t pieces_ = 1;
    std::vector<Part> listed_;
};

/// The bytes that it carries, as planned.
[[nodiscard]] Bytes bytes_of(const schedule::Schedule& schedule, const Parts::Part& part);

/// How each transfer of a schedule is cut. A message of more than `eager` bytes waits for its
/// receiver (rendezvous), which takes a round trip or more. It is cut into eager pieces if the
/// round trip takes longer than the pieces' overhead, and if all messages together do not become
/// too many. `is_run(transfer)`: its chunks follow each other, or there is only one.
[[nodiscard]] std::vector<Parts> parts_of(const schedule::Schedule& schedule,
                                          const simulate::Fabric& fabric,
                                          const std::vector<char>& is_run, Bytes eager);

}  // namespace espalier::runtime
