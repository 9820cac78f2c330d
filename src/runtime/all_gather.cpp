#include "runtime/all_gather.hpp"

#include "runtime/blocks.hpp"
#include "runtime/communicator.hpp"
#include "runtime/guarded.hpp"
#include "runtime/message.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/process.hpp"
#include "runtime/trials.hpp"

#include <optional>
#include <string>

namespace espalier::runtime {

namespace {

using AllGather = AllGathers::AllGather;
using Way = Trial::Way;

/// More ranks have rings that a leader should not look for while the others wait.
constexpr int most_ranks = 1024;

/// The arguments of one call. The input is one block.
struct Call {
    BlockArguments input;
    BlockArguments output;
    MPI_Comm comm;

    [[nodiscard]] bool is_in_place() const { return input.base == MPI_IN_PLACE; }
    [[nodiscard]] bool is_sound(int ranks) const {
        return output.is_sound(ranks) && (is_in_place() || input.is_sound(1));
    }
    [[nodiscard]] int native() const {
        return runtime::native<PMPI_Allgather>(input.base, input.count, input.type, output.base,
                                               output.count, output.type, comm);
    }
};

/// A rank's own block, and all of them.
class GatherMemory final : public Memory {
public:
    /// In place, its own block is where it belongs.
    GatherMemory(const Call& call, int rank, int ranks)
        : output_(call.output, ranks), rank_(static_cast<std::size_t>(rank)) {
        if (!call.is_in_place()) input_.emplace(call.input, 1);
    }
    [[nodiscard]] Place find(const Program::Part& part) const override {
        if (part.buffer == Program::Buffer::output) return output_.place(part.block);
        return input_ ? input_->place(0) : output_.place(rank_);
    }

private:
    Blocks output_;
    std::optional<Blocks> input_;
    std::size_t rank_;
};

/// What is known of a call before it is done.
struct Outlook {
    const AllGather* gather = nullptr;  ///< none: no plan was asked for
    std::string reason;                 ///< why MPI's own; else empty
    Bytes block;
};

void record(const Communicator& communicator, const Outlook& outlook, const Performed& performed,
            Process& process) {
    RunReport::Call key;
    key.kind = schedule::Kind::allgather;
    key.communicator_size = static_cast<std::size_t>(communicator.size());
    key.bytes = outlook.block;
    record_call(key, outlook.reason, outlook.gather, 1, 0, performed, process);
}

int timed_native(const Call& call, const Communicator& communicator, const Outlook& outlook,
                 Process& process) {
    if (!process.reports()) return call.native();
    const double start = PMPI_Wtime();
    const int code = call.native();
    record(communicator, outlook, {code, Way::native, Seconds(PMPI_Wtime() - start)}, process);
    return code;
}

/// What all ranks know without a word: blocks are as large everywhere.
Outlook look_at(const Call& call, Communicator& communicator) {
    if (!communicator.is_planned()) return {nullptr, to_string(communicator.verdict()), Bytes(0)};
    if (communicator.size() > most_ranks) return {nullptr, "too many ranks", Bytes(0)};
    const auto block = message_bytes(call.output.count, call.output.type);
    if (!block || *block == 0) return {nullptr, "no bytes, or more than an int counts", Bytes(0)};
    const AllGather* known = communicator.all_gathers().find(Bytes(*block));
    if (known == nullptr || !known->is_native()) return {known, "", Bytes(*block)};
    return {known, known->reason(), Bytes(*block)};
}

/// A call whose arguments make sense, that is planned, or on trial.
int perform_planned(const Call& call, Communicator& communicator, Outlook outlook,
                    Process& process) {
    AllGather& gather =
        communicator.all_gathers().of_blocks(call.comm, communicator, process, outlook.block);
    // Only the gathering itself is on trial, not what its first call prepares.
    MPI_Comm own = communicator.own_communicator(call.comm);
    const Performed performed = perform_on_trial(
        gather.trial, "allgather", static_cast<double>(outlook.block.value), own, communicator,
        process, [&] { return call.native(); },
        [&] {
            communicator.run(call.comm, gather.plan->program,
                             GatherMemory(call, communicator.rank(), communicator.size()));
        });
    if (!process.reports()) return performed.code;
    outlook.gather = &gather;
    outlook.reason = gather.reason();
    record(communicator, outlook, performed, process);
    return performed.code;
}

int planned_or_native(const Call& call, Process& process) {
    Communicator& communicator = Communicator::of(call.comm, process);
    Outlook outlook = look_at(call, communicator);
    if (outlook.reason.empty() && !call.is_sound(communicator.size()))
        outlook.reason = "wrong arguments";
    if (!outlook.reason.empty()) return timed_native(call, communicator, outlook, process);
    return perform_planned(call, communicator, outlook, process);
}

}  // namespace

int allgather(const void* input, int input_count, MPI_Datatype input_type, void* output,
              int output_count, MPI_Datatype output_type, MPI_Comm comm) {
    // MPI promises not to write to what it sends.
    const Call call{{const_cast<void*>(input), input_count, nullptr, nullptr, input_type},
                    {output, output_count, nullptr, nullptr, output_type},
                    comm};
    return guarded("allgather", call, planned_or_native);
}

}  // namespace espalier::runtime
