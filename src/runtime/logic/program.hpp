#pragma once

#include "runtime/logic/rank_plan.hpp"

#include <cstdint>
#include <vector>

namespace espalier::runtime {

/// One rank's part of a plan: what it receives and what it sends, each in its order. Messages of
/// one ordered pair of ranks have the same order at both ends, so that they match without tags.
struct Program {
    enum class Buffer : std::uint8_t {
        output,   ///< where the result goes; a broadcast's message, at its root, too
        input,    ///< what the rank brings in, where that lies elsewhere
        scratch,  ///< of nobody's data: messages that only coordinate
    };
    /// A run of bytes in one block of a buffer, or all of the block, however large each call has
    /// it. A message is one block; an exchange has one for each rank.
    struct Part {
        Buffer buffer = Buffer::output;
        bool all = false;
        std::uint32_t block = 0;
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
    };
    struct Receive {
        Part part;
        int source = 0;
        schedule::Op op = schedule::Op::copy;
    };
    struct Send {
        Part part;
        int destination = 0;
        /// It starts when these receives are over: needs[first_need, last_need).
        std::size_t first_need = 0;
        std::size_t last_need = 0;
        simulate::MessageCost cost;  ///< as planned
        bool whole = false;          ///< its transfer is one message
    };
    /// What stays with the rank.
    struct Copy {
        Part from;
        Part to;
    };
    /// All ranks meet when each is done with its messages before these.
    struct Barrier {
        std::size_t sends = 0;
        std::size_t receives = 0;
    };
    std::vector<Receive> receives;
    std::vector<Send> sends;
    std::vector<Copy> copies;
    std::vector<std::size_t> needs;   ///< indices of receives
    std::vector<Barrier> barriers;    ///< ascending
    std::uint64_t scratch_bytes = 0;  ///< of the largest message that only coordinates
    bool spaced = false;              ///< see schedule::Schedule
    std::size_t ports = 1;            ///< sends that the plan has under way at once
    /// Sends under way at once where MPI is to keep their order, rather than a clock.
    std::size_t window = 1;
};

/// What `rank` does for a message of `bytes`, of the size class that the plan was made for.
[[nodiscard]] Program compile(const RankPlan& plan, std::size_t rank, Bytes bytes);

}  // namespace espalier::runtime
