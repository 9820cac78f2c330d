#pragma once

#include "runtime/channel.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/plans.hpp"
#include "runtime/progress.hpp"

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace espalier::runtime {

class Communicator;
class Process;

/// A plan that is made and dealt out while calls go on, none of which waits for it: each rank tells
/// the leader what it alone knows, the leader plans, and sends each its share. All go between pairs
/// of ranks, with a tag of their own.
class DealUnderWay final : public Task {
public:
    /// `name` of the collective, for the log. `blocks`: the leader's, where all ranks know them;
    /// `sizes`: of blocks that only this rank knows. `communicator` has to last until it is over.
    DealUnderWay(const char* name, const Signature& signature,
                 std::shared_ptr<const std::vector<Bytes>> blocks, std::vector<std::uint64_t> sizes,
                 int tag, std::shared_ptr<Channel> channel, Communicator& communicator,
                 Process& process);

    [[nodiscard]] bool advance() noexcept override;
    /// Whether this rank has its share, or something went wrong. What follows is to be asked then.
    [[nodiscard]] bool is_done() const { return done_.load(std::memory_order_acquire); }
    /// MPI_SUCCESS, or what went wrong.
    [[nodiscard]] int failure() const { return failure_; }
    [[nodiscard]] const std::shared_ptr<const Plans::Plan>& dealt() const { return plan_; }
    /// What the leader knows of the signature.
    [[nodiscard]] const Plans::Entry& known() const { return entry_; }
    /// Makes `entry` the one of a signature that was planned so. Throws MpiFailure.
    void settle(Plans::Entry& entry) const;

private:
    enum class Stage { begin, hear, tell };

    [[nodiscard]] bool step();
    void abandon() noexcept;
    void begin();
    [[nodiscard]] bool has_all_heard();
    void plan_and_tell();
    [[nodiscard]] PlannedRanks plan_for_all();
    [[nodiscard]] BlockSizes sizes_heard() const;
    [[nodiscard]] bool take_share();
    void done() { done_.store(true, std::memory_order_release); }

    const char* const name_;
    const Signature signature_;
    const std::shared_ptr<const std::vector<Bytes>> blocks_;
    const int tag_;
    const std::shared_ptr<Channel> channel_;
    Communicator& communicator_;
    Process& process_;
    const MPI_Comm own_;
    std::vector<std::uint64_t> letter_;  ///< of this rank: whether it may use a GPU, and its sizes
    Stage stage_ = Stage::begin;
    std::vector<std::uint64_t> letters_;  ///< of all ranks, at the leader
    std::vector<std::string> shares_;     ///< to the others, or from the leader
    std::vector<MPI_Request> requests_;
    std::shared_ptr<const Plans::Plan> plan_;
    Plans::Entry entry_;
    int failure_ = MPI_SUCCESS;
    std::atomic<bool> done_ = false;
};

}  // namespace espalier::runtime
