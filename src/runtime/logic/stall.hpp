#pragma once

#include "runtime/logic/rank_program.hpp"

#include <vector>

namespace espalier::runtime {

/// Whether the ranks could come to wait for each other for ever, if no message left before its
/// receive is posted, each rank had as many sends under way as its window at most, receives were
/// posted in their order, and there were room for one message that is to be combined. Programs of a
/// schedule that was simulated can do so where transfers of one chunk are cut differently, and run
/// into each other.
[[nodiscard]] bool would_stall(const std::vector<RankProgram>& programs);

}  // namespace espalier::runtime
