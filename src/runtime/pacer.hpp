#pragma once

#include "runtime/logic/rank_program.hpp"

#include <vector>

namespace espalier::runtime {

/// Lets each send wait, by MPI's clock, until the plan has it start, and until a port is free as
/// the plan has it: the gap of a send before is over.
class Pacer {
public:
    void start(const RankProgram& program);
    /// Returns when `send` may go out, which it has to at once.
    void wait_for_turn(const RankProgram::Send& send);

private:
    double begin_ = 0;
    std::vector<double> ports_free_;  ///< from when on; a heap, the earliest first
};

}  // namespace espalier::runtime
