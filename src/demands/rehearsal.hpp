#pragma once

#include "demands/problem.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace espalier::demands {

/// When the progress of a running exchange is looked at.
enum class Checkpoints {
    never,
    half,   ///< when half of what was left at the last one has ended: O(log M) of M messages
    every,  ///< whenever a message has ended
};
[[nodiscard]] std::string_view name_of(Checkpoints checkpoints);

/// What is known at a checkpoint.
enum class Knowledge {
    progress,   ///< which messages have started and ended; of others, the estimates stay
    directory,  ///< the directory is asked anew: also what those that are left will truly take
};
[[nodiscard]] std::string_view name_of(Knowledge knowledge);

/// The first checkpoint after `now`, where messages will end at `ends` (those that ended by now
/// among them, in any order); nullopt: there is none before all have ended. Seconds.
[[nodiscard]] std::optional<double> next_checkpoint(Checkpoints checkpoints, double now,
                                                    std::vector<double> ends);

/// How a running exchange adapts (bhat-1998, 6.3).
struct Policy {
    Checkpoints checkpoints = Checkpoints::never;
    Knowledge knowledge = Knowledge::progress;
    /// What has not started is scheduled anew only if some message that ended since the last
    /// scheduling was off its predicted time by more than this part of that time.
    double threshold = 0;
    Limits limits = {};  ///< of each planning
};

/// The course of an exchange that was planned with estimated times and performed with the true
/// ones.
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

/// The network on another day: every message from one node to another takes its pair's own factor
/// as long, drawn between 1 / (1 + noise) and 1 + noise, uniformly in its logarithm, so that slower
/// is as likely as faster. For messages that share nothing but ports. `noise` >= 0; `fabric` must
/// outlive it.
[[nodiscard]] std::unique_ptr<const simulate::Fabric> with_noise(const simulate::Fabric& fabric,
                                                                 double noise, std::uint64_t seed);

}  // namespace espalier::demands
