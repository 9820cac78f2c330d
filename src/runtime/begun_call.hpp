#pragma once

#include "core/units.hpp"
#include "runtime/call.hpp"
#include "runtime/call_task.hpp"
#include "runtime/channel.hpp"
#include "runtime/deal_under_way.hpp"
#include "runtime/kept_operands.hpp"
#include "runtime/layout.hpp"
#include "runtime/native_begin.hpp"
#include "runtime/plan_under_way.hpp"

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>

namespace espalier::runtime {

/// A nonblocking collective under way: a state machine that is advanced in MPI calls. Its request
/// is the program's, a generalized one, so that MPI does all that a program does with requests.
class BegunCall final : public CallTask {
public:
    /// What is known when it is called.
    struct Making {
        Way way;  ///< without a plan: what `deal` brings
        std::shared_ptr<DealUnderWay> deal;
        Seat seat;  ///< whose peers are the channel's
        /// Called where the call is done by a plan, with how long that took.
        std::function<void(const Way&, Seconds)> record;
    };
    /// Throws MpiFailure.
    BegunCall(Making making, const Operands& operands, const NativeBegin& own,
              std::shared_ptr<Channel> channel, Process& process);
    ~BegunCall() override;

private:
    enum class Stage { waits, runs, native };
    struct Outcome;

    [[nodiscard]] bool step() override;
    [[nodiscard]] bool begin();
    [[nodiscard]] bool is_native_over();
    void end(int code) noexcept override;

    static int query(void* outcome, MPI_Status* status);
    static int free(void* outcome);
    static int cancel(void* outcome, int completed);

    Making making_;
    const std::shared_ptr<Channel> channel_;
    KeptOperands operands_;
    const Types types_;
    const NativeBegin::Kept own_;
    std::uint64_t place_ = 0;  ///< in the order of calls
    const double began_;
    Outcome* outcome_;  ///< the request's
    MPI_Request request_ = MPI_REQUEST_NULL;
    Stage stage_ = Stage::waits;
    MPI_Request native_ = MPI_REQUEST_NULL;
    PlanUnderWay run_;
};

}  // namespace espalier::runtime
