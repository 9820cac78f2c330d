#pragma once

#include "runtime/logic/rank_program.hpp"

#include <vector>

namespace espalier::runtime {

/// Whether the ranks would come to wait for each other for ever, if no message left before its
/// receive is posted, and each rank had as many sends under way as its window at most. Programs of
/// a schedule that was simulated can do so only where transfers of one chunk are cut differently,
/// and run into each other.
[[nodiscard]] bool would_stall(const std::vector<RankProgram>& programs);

}  // namespace espalier::runtime
