#pragma once

#include "runtime/logic/rank_program.hpp"

#include <utility>
#include <vector>

namespace espalier::runtime {

/// Lets each send wait, by MPI's clock, until a port is free as the plan has it: the gap of a send
/// before is over, and, where messages keep clear of each other in flight
/// (schedule::Schedule::spaced), its flight crosses none of those under way. The same rule as the
/// simulator's.
class Pacer {
public:
    void start(const RankProgram& program);
    /// Returns when `send` may go out, which it has to at once.
    void wait_for_turn(const RankProgram::Send& send);

private:
    [[nodiscard]] double clear_of_flights(double start, const simulate::MessageCost& cost);

    bool spaced_ = false;
    std::vector<double> ports_free_;                  ///< from when on; a heap, the earliest first
    std::vector<std::pair<double, double>> flights_;  ///< those that are not over yet
};

}  // namespace espalier::runtime
