#pragma once

#include "core/units.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <cstdint>

namespace espalier::plan {

/// What simulating one message is taken to cost in steps where messages only queue for ports.
inline constexpr std::uint64_t steps_a_queued_message = 30;
/// And beside that for each message that is under way with it, where they share: whenever one is
/// over, all others share anew what they draw on.
inline constexpr double steps_a_sharer = 1.5;

/// What a message costs beside what simulations say of it. Of plans that are about as good it
/// favours those of fewer messages.
struct MessageOverhead {
    /// Of a rank: calls and wake-ups. Twice what the shortest message between neighbours by rank
    /// keeps a node busy, where the network knows that; else of the order of a call. No prediction
    /// contains it.
    Seconds of_rank;
    /// Of processors that all nodes share: Fabric::message_time().
    Seconds of_all;
};
[[nodiscard]] MessageOverhead message_overhead(const simulate::Fabric& fabric);

/// Of a segment more on every way between so many ranks: the busiest receives it, and passes it on
/// to three others.
[[nodiscard]] Seconds segment_overhead(const MessageOverhead& message, std::size_t ranks);

/// Of all messages that the busiest rank sends and receives, and of all that there are.
[[nodiscard]] Seconds overhead_of(const schedule::Schedule& schedule,
                                  const MessageOverhead& message);

/// What all messages together take of processors that all nodes share. The rest waits for most of
/// it: ranks wait for each other.
[[nodiscard]] Seconds processor_time(const schedule::Schedule& schedule, Seconds message_time);

}  // namespace espalier::plan
