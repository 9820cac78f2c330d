#pragma once

#include "runtime/call_task.hpp"
#include "runtime/kept_operands.hpp"
#include "runtime/layout.hpp"
#include "runtime/logic/tags.hpp"
#include "runtime/neighbourhood.hpp"
#include "runtime/plan_under_way.hpp"

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace espalier::runtime {

/// A persistent collective, which follows one plan whenever it is started. Its request is MPI's
/// own: a persistent receive from this process on our communicator, so that MPI does all that a
/// program does with requests. The message that completes it is sent when the plan is over.
///
/// Ranks may start several in different orders. So each has tags of its own, as if it were on a
/// communicator of its own.
class PersistentCall final : public CallTask, public std::enable_shared_from_this<PersistentCall> {
public:
    /// What is known when it is made.
    struct Making {
        Way way;    ///< not MPI's own
        Seat seat;  ///< whose peers are `ranks_in_world`
        std::vector<int> ranks_in_world;
        Tags::Block tags = 0;
        std::shared_ptr<const Neighbourhood> neighbourhood;  ///< that the operands speak of
        /// Counted up at each start.
        std::shared_ptr<std::atomic<std::uint64_t>> starts;
        /// Called whenever it is over, with how long it took.
        std::function<void(const Way&, Seconds)> record;
    };
    /// Throws MpiFailure; then it has not taken over the tags.
    PersistentCall(Making making, const Operands& operands, Process& process);
    ~PersistentCall() override;

    [[nodiscard]] MPI_Request request() const { return request_; }
    /// The program is about to free a communicator: later starts do without it.
    void outlive(MPI_Comm comm) { comm_.compare_exchange_strong(comm, MPI_COMM_NULL); }
    /// MPI has started the request.
    void start() noexcept;
    /// What that which was started last has failed with, once it is over; asked once.
    [[nodiscard]] int take_failure() { return failure_.exchange(MPI_SUCCESS); }
    /// Hands an error to the handler of its communicator, and returns it.
    int raise(int code) const;

private:
    [[nodiscard]] bool step() override;
    void end(int code) noexcept override;

    Making making_;
    std::atomic<MPI_Comm> comm_;
    KeptOperands operands_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    PlanUnderWay run_;
    std::atomic<int> failure_ = MPI_SUCCESS;
    bool has_begun_ = false;
    double began_ = 0;
};

}  // namespace espalier::runtime
