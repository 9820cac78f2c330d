#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace espalier::runtime {

/// What the nonblocking collectives of one communicator share, on each rank. Whether a call is done
/// by a plan may be known only after it has returned, and at another time on each rank. What is
/// MPI's own then begins on a communicator of its own, in the order of calls, so that ranks agree
/// on that order whenever they begin it.
class Channel {
public:
    /// `own` has the same ranks, and nobody else begins collectives there.
    Channel(MPI_Comm own, std::vector<int> ranks_in_world)
        : own_(own), ranks_in_world_(std::move(ranks_in_world)) {}

    [[nodiscard]] MPI_Comm own() const { return own_; }
    [[nodiscard]] const std::vector<int>& ranks_in_world() const { return ranks_in_world_; }

    /// The place of a call in the order of calls.
    [[nodiscard]] std::uint64_t queue() { return queued_++; }
    /// Whether all calls before it have begun.
    [[nodiscard]] bool is_next(std::uint64_t place) const { return begun_ == place; }
    void begin() { ++begun_; }
    /// Whether nobody waits for its turn.
    [[nodiscard]] bool has_begun_all() const { return begun_ == queued_; }

    /// Tags come again after some thousand calls: with the same, what began first is over before
    /// the next begins. Whether it is free, and taken from now on.
    [[nodiscard]] bool take(int tag) {
        const std::scoped_lock lock(mutex_);
        return tags_.insert(tag).second;
    }
    void give_back(int tag) {
        const std::scoped_lock lock(mutex_);
        tags_.erase(tag);
    }
    [[nodiscard]] bool is_taken(int tag) {
        const std::scoped_lock lock(mutex_);
        return tags_.contains(tag);
    }

    /// Tasks that are not over.
    void enter() { ++tasks_; }
    void leave() { --tasks_; }
    [[nodiscard]] bool is_idle() const { return tasks_ == 0; }

private:
    const MPI_Comm own_;
    const std::vector<int> ranks_in_world_;
    std::atomic<std::uint64_t> queued_ = 0;
    std::atomic<std::uint64_t> begun_ = 0;
    std::atomic<std::size_t> tasks_ = 0;
    std::mutex mutex_;
    std::set<int> tags_;  ///< of what is under way
};

}  // namespace espalier::runtime
