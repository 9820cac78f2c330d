#pragma once

#include "core/units.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <cstdint>

namespace espalier::plan {

/// The cost of simulating one message, in steps of the budget, if messages only queue for ports.
inline constexpr std::uint64_t steps_a_queued_message = 30;
/// What is added to that for each message that is in flight with it if messages share capacities:
/// whenever one ends, the rates of all others change.
inline constexpr double steps_a_sharer = 4;
/// Of simulating so many messages, each of which shares capacities with so many others.
[[nodiscard]] constexpr std::uint64_t steps_of_simulating(std::size_t messages, double sharers) {
    return messages *
           (steps_a_queued_message + static_cast<std::uint64_t>(steps_a_sharer * sharers));
}

/// What each message costs beside the time that simulation gives it, in seconds. So that of plans
/// of about the same makespan the one of fewer messages is chosen.
struct MessageOverhead {
    /// What a message costs the rank at either end, in calls and wake-ups: twice the time for which
    /// the shortest message between ranks that are neighbours keeps a node busy, if the network
    /// knows it; otherwise of the order of a call. Simulated times do not contain it.
    Seconds of_rank;
    /// What a message takes of processors that all nodes share: Fabric::message_time().
    Seconds of_all;
};
[[nodiscard]] MessageOverhead message_overhead(const simulate::Fabric& fabric);

/// What one more segment costs on each link of a tree over so many ranks, in seconds: the busiest
/// rank receives the segment and passes it on to three others.
[[nodiscard]] Seconds segment_overhead(const MessageOverhead& message, std::size_t ranks);

/// What all messages cost beside their simulated times, in seconds: `of_rank` for each that the
/// busiest rank sends or receives, and `of_all` for each that there is.
[[nodiscard]] Seconds overhead_of(const schedule::Schedule& schedule,
                                  const MessageOverhead& message);

/// The seconds that all messages together take of processors that all nodes share.
[[nodiscard]] Seconds processor_time(const schedule::Schedule& schedule, Seconds message_time);

}  // namespace espalier::plan
