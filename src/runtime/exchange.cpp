#include "runtime/exchange.hpp"

#include "runtime/communicator.hpp"
#include "runtime/guarded.hpp"
#include "runtime/logic/rank_plan.hpp"
#include "runtime/message.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/process.hpp"
#include "runtime/trials.hpp"

#include <numeric>
#include <optional>

namespace espalier::runtime {

namespace {

using Exchange = Exchanges::Exchange;
using Way = Trial::Way;

/// More ranks have more messages than a leader should order while the others wait.
constexpr int most_ranks = 1024;

/// The arguments of one call.
struct Call {
    BlockArguments input;
    BlockArguments output;
    MPI_Comm comm;

    [[nodiscard]] bool is_uneven() const { return output.counts != nullptr; }
    [[nodiscard]] bool is_in_place() const { return input.base == MPI_IN_PLACE; }
    [[nodiscard]] bool is_sound(int ranks) const {
        return output.is_sound(ranks) && (is_in_place() || input.is_sound(ranks));
    }
    [[nodiscard]] int native() const {
        if (!is_uneven())
            return runtime::native<PMPI_Alltoall>(input.base, input.count, input.type, output.base,
                                                  output.count, output.type, comm);
        return runtime::native<PMPI_Alltoallv>(input.base, input.counts, input.displacements,
                                               input.type, output.base, output.counts,
                                               output.displacements, output.type, comm);
    }
};

/// What is known of a call before it is done.
struct Outlook {
    const Exchange* exchange = nullptr;  ///< none: no plan was asked for
    std::string reason;                  ///< why MPI's own; else empty
    Bytes bytes;                         ///< see RunReport::Call
};

void record(const Call& call, const Communicator& communicator, const Outlook& outlook,
            const Performed& performed, Process& process) {
    RunReport::Call key;
    key.kind = schedule::Kind::alltoall;
    key.communicator_size = static_cast<std::size_t>(communicator.size());
    key.uneven = call.is_uneven();
    key.bytes = outlook.bytes;
    const Exchange* exchange = outlook.exchange;
    record_call<ExchangePart>(key, outlook.reason, exchange,
                              exchange == nullptr ? 1 : exchange->plan->part.ports,
                              exchange == nullptr ? 0 : exchange->gatherings, performed, process);
}

int timed_native(const Call& call, const Communicator& communicator, const Outlook& outlook,
                 Process& process) {
    if (!process.reports()) return call.native();
    const double start = PMPI_Wtime();
    const int code = call.native();
    record(call, communicator, outlook, {code, Way::native, Seconds(PMPI_Wtime() - start)},
           process);
    return code;
}

/// A call whose arguments make sense, of an exchange that is planned, or on trial.
class PlannedCall {
public:
    PlannedCall(const Call& call, Communicator& communicator, Process& process)
        : call_(call),
          communicator_(communicator),
          process_(process),
          output_(call.output, communicator.size()) {
        if (!call.is_in_place()) input_.emplace(call.input, communicator.size());
        row_ = (input_ ? *input_ : output_).all_bytes();
        total_ = std::accumulate(row_.begin(), row_.end(), std::uint64_t{0});
    }

    int perform() {
        Exchanges& exchanges = communicator_.exchanges();
        exchange_ = call_.is_uneven()
                        ? &exchanges.of_sizes(call_.comm, communicator_, process_, row_)
                        : &exchanges.of_blocks(call_.comm, communicator_, process_, Bytes(row_[0]));
        // Only the exchange itself is on trial, not what its first call prepares.
        own_ = communicator_.own_communicator(call_.comm);
        const Performed performed = perform_on_trial(
            exchange_->trial, call_.is_uneven() ? "alltoallv" : "alltoall",
            static_cast<double>(total_), own_, communicator_, process_,
            [&] { return call_.native(); }, [&] { execute(); });
        if (process_.reports()) report(performed);
        return performed.code;
    }

private:
    void execute() {
        const Program& program = exchange_->plan->program;
        if (input_) {
            communicator_.run(call_.comm, program, ExchangeMemory(*input_, output_));
        } else {
            const BlockCopies copies(output_, communicator_.rank(), own_);
            communicator_.run(call_.comm, program, ExchangeMemory(copies, output_));
        }
    }

    void report(const Performed& performed) {
        const Outlook outlook{exchange_, exchange_->reason(),
                              call_.is_uneven() ? size_class(Bytes(total_)) : Bytes(row_[0])};
        record(call_, communicator_, outlook, performed, process_);
    }

    const Call& call_;
    Communicator& communicator_;
    Process& process_;
    const Blocks output_;
    std::optional<Blocks> input_;     ///< not in place
    std::vector<std::uint64_t> row_;  ///< bytes that go to each rank
    std::uint64_t total_ = 0;
    Exchange* exchange_ = nullptr;
    MPI_Comm own_ = MPI_COMM_NULL;
};

/// What all ranks know without a word: blocks of one size are as large everywhere.
Outlook look_at(const Call& call, Communicator& communicator) {
    if (!communicator.is_planned()) return {nullptr, to_string(communicator.verdict()), Bytes(0)};
    if (communicator.size() > most_ranks) return {nullptr, "too many ranks", Bytes(0)};
    if (call.is_uneven()) {
        const Exchange* known = communicator.exchanges().find_uneven();
        if (known == nullptr || !known->is_native()) return {};
        return {known, known->reason(), Bytes(0)};
    }
    const auto block = message_bytes(call.output.count, call.output.type);
    if (!block || *block == 0) return {nullptr, "no bytes, or more than an int counts", Bytes(0)};
    const Exchange* known = communicator.exchanges().find(Bytes(*block));
    if (known == nullptr || !known->is_native()) return {};
    return {known, known->reason(), Bytes(*block)};
}

int planned_or_native(const Call& call, Process& process) {
    Communicator& communicator = Communicator::of(call.comm, process);
    Outlook outlook = look_at(call, communicator);
    if (outlook.reason.empty() && !call.is_sound(communicator.size()))
        outlook.reason = "wrong arguments";
    if (!outlook.reason.empty()) return timed_native(call, communicator, outlook, process);
    return PlannedCall(call, communicator, process).perform();
}

int perform(const Call& call) {
    return guarded(call.is_uneven() ? "alltoallv" : "alltoall", call, planned_or_native);
}

}  // namespace

// MPI promises not to write to what it sends.

int alltoall(const void* input, int input_count, MPI_Datatype input_type, void* output,
             int output_count, MPI_Datatype output_type, MPI_Comm comm) {
    return perform({{const_cast<void*>(input), input_count, nullptr, nullptr, input_type},
                    {output, output_count, nullptr, nullptr, output_type},
                    comm});
}

int alltoallv(const void* input, const int* input_counts, const int* input_displacements,
              MPI_Datatype input_type, void* output, const int* output_counts,
              const int* output_displacements, MPI_Datatype output_type, MPI_Comm comm) {
    return perform({{const_cast<void*>(input), 0, input_counts, input_displacements, input_type},
                    {output, 0, output_counts, output_displacements, output_type},
                    comm});
}

}  // namespace espalier::runtime
