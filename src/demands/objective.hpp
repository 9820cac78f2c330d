#pragma once

#include "demands/problem.hpp"
#include "schedule/timeline.hpp"

#include <vector>

namespace espalier::demands {

/// The quality of a timed exchange: less is better, and of two the first field that differs
/// decides. Fields that nothing was asked of are 0.
struct Score {
    double critical = 0;   ///< seconds; when the critical node's last own message has arrived
    double missed = 0;     ///< priority of all messages that miss their deadlines
    double tardiness = 0;  ///< seconds that those are late by, each times its priority
    double makespan = 0;   ///< seconds
};

/// Whether `a` is better than `b` by more than sums of times lose in rounding.
[[nodiscard]] bool better(const Score& a, const Score& b);

/// The score if each message has reached its receiver at the time in `ends`, in seconds.
[[nodiscard]] Score score_of(const Problem& problem, const std::vector<double>& ends);

/// Whether messages wait for nothing but the ports of their ends, one after the other.
[[nodiscard]] bool only_queues(const Problem& problem);

/// When each message reaches its receiver if the order is performed, in seconds: as
/// simulate::simulate says, or, if messages only queue for ports, as it would with ports that are
/// ready when the problem says. Every hop must follow those that bring its message to its sender.
/// O(hops) if messages only queue.
[[nodiscard]] std::vector<double> ends_of(const Problem& problem, const Order& order);

/// The score of a timed schedule of the problem, whose chunks are the messages.
[[nodiscard]] Score score_of(const Problem& problem, const schedule::Schedule& schedule,
                             const schedule::Timeline& timeline);

/// Lower bounds of each field make one of the whole: who reaches them all can't be beaten.
[[nodiscard]] inline bool meets(const Score& score, const Score& bounds) {
    return !better(bounds, score);
}

}  // namespace espalier::demands
