#pragma once

#include "runtime/logic/rank_plan.hpp"

#include <cstdint>
#include <vector>

namespace espalier::runtime {

/// One rank's part of a plan: what it receives and what it sends, each in its order. Messages of
/// one ordered pair of ranks have the same order at both ends, so that they match without tags.
struct Program {
    /// Bytes of the collective's message, or, where `control`, of nothing.
    struct Part {
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
        bool control = false;
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
    std::vector<Receive> receives;
    std::vector<Send> sends;
    std::vector<std::size_t> needs;   ///< indices of receives
    std::uint64_t control_bytes = 0;  ///< of the largest message that only coordinates
    bool spaced = false;              ///< see schedule::Schedule
};

/// What `rank` does for a message of `bytes`, of the size class that the plan was made for.
[[nodiscard]] Program compile(const RankPlan& plan, std::size_t rank, Bytes bytes);

}  // namespace espalier::runtime
