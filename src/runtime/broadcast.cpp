#include "runtime/broadcast.hpp"

#include "runtime/communicator.hpp"
#include "runtime/guarded.hpp"
#include "runtime/message.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/process.hpp"

namespace espalier::runtime {

namespace {

/// The arguments of one call.
struct Call {
    void* buffer;
    int count;
    MPI_Datatype type;
    int root;
    MPI_Comm comm;

    [[nodiscard]] int native() const {
        return runtime::native<PMPI_Bcast>(buffer, count, type, root, comm);
    }
};

/// What is known of a call before it is done.
struct Outlook {
    std::shared_ptr<const Communicator::Entry> entry;  ///< none: MPI's own
    std::uint64_t bytes = 0;
    std::string reason;
};

Outlook look_at(const Call& call, Communicator& communicator, Process& process) {
    Outlook outlook;
    if (!communicator.is_planned()) {
        if (process.reports()) outlook.reason = to_string(communicator.verdict());
        return outlook;
    }
    const auto bytes = message_bytes(call.count, call.type);
    if (!bytes || *bytes == 0 || !communicator.has_rank(call.root)) {
        outlook.reason = "no bytes, more than an int counts, or wrong arguments";
        return outlook;
    }
    outlook.bytes = *bytes;
    outlook.entry = communicator.broadcast_plan(call.comm, process, call.root, Bytes(*bytes));
    if (outlook.entry->plan.is_native()) {
        outlook.reason = outlook.entry->plan.refusal;
        outlook.entry.reset();
    }
    return outlook;
}

int execute(const Call& call, Communicator& communicator, const Outlook& outlook) {
    Message message(call.buffer, call.count, call.type, outlook.bytes, call.comm);
    const bool is_root = communicator.rank() == call.root;
    if (is_root) message.pack();
    communicator.run(call.comm, outlook.entry, Bytes(outlook.bytes), message.data());
    if (!is_root) message.unpack();
    return MPI_SUCCESS;
}

void record(const Call& call, const Communicator& communicator, const Outlook& outlook,
            double elapsed, Process& process) {
    RunReport::Call key;
    key.communicator_size = static_cast<std::size_t>(communicator.size());
    key.root = static_cast<std::size_t>(call.root < 0 ? 0 : call.root);
    key.bytes = Bytes(message_bytes(call.count, call.type).value_or(0));
    RunReport::Expectation expectation;
    expectation.reason = outlook.reason;
    key.algorithm = "native";
    if (outlook.entry) {
        const RankPlan& plan = outlook.entry->plan;
        key.algorithm = plan.schedule.algorithm;
        expectation.segments = plan.segments();
        expectation.predicted = plan.predicted;
        expectation.planned_bytes = outlook.entry->planned_bytes;
    }
    process.record(key, expectation, Seconds(elapsed));
}

int planned_or_native(const Call& call, Process& process) {
    Communicator& communicator = Communicator::of(call.comm, process);
    const Outlook outlook = look_at(call, communicator, process);
    if (!process.reports())
        return outlook.entry ? execute(call, communicator, outlook) : call.native();
    const double start = PMPI_Wtime();
    const int code = outlook.entry ? execute(call, communicator, outlook) : call.native();
    record(call, communicator, outlook, PMPI_Wtime() - start, process);
    return code;
}

}  // namespace

int broadcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    const Call call{buffer, count, type, root, comm};
    return guarded("broadcast", call, planned_or_native);
}

}  // namespace espalier::runtime
