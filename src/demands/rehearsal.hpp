#pragma once

#include "demands/checkpoints.hpp"
#include "demands/planner.hpp"

#include <cstddef>
#include <vector>

namespace espalier::demands {

/// How a running exchange adapts (bhat-1998, 6.3).
struct Policy {
    Checkpoints checkpoints = Checkpoints::never;
    Knowledge knowledge = Knowledge::progress;
    /// What has not started is scheduled anew only where some message that ended since the last
    /// scheduling was off the time foretold for it by more than this part of that time.
    double threshold = 0;
    Limits limits = {};  ///< of each planning
};

/// What became of an exchange that was planned by estimates and met the true times.
struct Rehearsal {
    Order order;                 ///< each port's messages as it took them
    std::vector<double> starts;  ///< true, in seconds, by message
    std::vector<double> ends;
    double makespan = 0;
    std::size_t checkpoints = 0;    ///< at which something had not started yet
    std::size_t reschedulings = 0;  ///< of these, where planning was done anew
    std::size_t changes = 0;        ///< of these, where what came of it was foretold to be better
    double planning = 0;            ///< seconds of this machine, the first planning among them
};

/// Plans by `estimate`, and performs with the times of `truth`, which has the same messages. Those
/// on their way are never broken off; those that have not started are decided anew at checkpoints,
/// and start no sooner than that. In both, messages only queue for ports; objectives other than the
/// makespan are not looked at. Throws InputError for a planner of relays or barriers.
[[nodiscard]] Rehearsal rehearse(const Problem& estimate, const Problem& truth, Planner planner,
                                 const Policy& policy);

}  // namespace espalier::demands
