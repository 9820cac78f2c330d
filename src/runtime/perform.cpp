#include "core/infinity.hpp"
#include "runtime/call.hpp"
#include "runtime/clock.hpp"
#include "runtime/communicator.hpp"
#include "runtime/guarded.hpp"
#include "runtime/host_copies.hpp"
#include "runtime/plans.hpp"
#include "runtime/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::runtime {

namespace {

using Variant = Bandit::Variant;
constexpr Variant native_variant = Bandit::native;

/// A call that was performed.
struct Performed {
    int code = MPI_SUCCESS;
    Variant variant = native_variant;
    Seconds elapsed{infinity};
};

/// The bytes that this rank has for others in a call whose blocks differ.
std::uint64_t bytes_brought(const Call& call, const Communicator& communicator) {
    const auto sizes = call.sizes(communicator.membership());
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

/// Adds a call to the run's report: `entry` if there is a plan, else `reason` why it was native.
void record(const Call& call, Communicator& communicator, const Question* question,
            const Plans::Entry* entry, std::string_view reason, const Performed& performed,
            Process& process) {
    RunReport::Call key;
    key.kind = call.kind;
    key.uneven = call.uneven;
    key.among_neighbours = call.is_among_neighbours();
    key.communicator_size = static_cast<std::size_t>(communicator.size());
    key.algorithm = "native";
    if (question != nullptr) {
        key.root = static_cast<std::size_t>(std::max(question->signature.root, 0));
        key.bytes = question->signature.direct
                        ? size_class(Bytes(bytes_brought(call, communicator)))
                        : question->bytes;
    }
    RunReport::State state;
    if (entry != nullptr) {
        if (performed.variant != native_variant)
            key.algorithm = entry->plan->of(performed.variant).algorithm;
        state = {entry->plan.get(),
                 entry->bandit.agreements() + entry->gatherings + entry->changes};
    }
    process.record(
        key, state,
        [&] {
            if (entry != nullptr)
                return communicator.plans().describe(question->signature, *entry,
                                                     performed.variant);
            RunReport::Expectation expectation;
            expectation.reason = reason;
            return expectation;
        },
        performed.elapsed);
}

/// Ranks have agreed on a call: how late the last of them came to it.
void record_arrival(const Call& call, const Communicator& communicator, const Plans::Entry& entry,
                    Process& process) {
    if (!awaits_all(call.kind) || call.is_among_neighbours() || !entry.arrival) return;
    const auto last = static_cast<std::size_t>(entry.arrival->last);
    const std::vector<int>& ranks = communicator.ranks_in_world();
    if (last < ranks.size())
        process.record_arrival(call.name(), ranks.size(), entry.arrival->late, ranks[last]);
}

int native(const Call& call, Communicator& communicator, const Question* question,
           const Plans::Entry* entry, std::string_view reason, Process& process) {
    const double start = PMPI_Wtime();
    const int code = call.native();
    record(call, communicator, question, entry, reason, {code, native_variant, since(start)},
           process);
    return code;
}

/// A call that has no plan, since those that there were cost more than they brought.
int left(const Call& call, const Question& question, Communicator& communicator, Process& process) {
    const double start = PMPI_Wtime();
    const int code = call.native();
    const Seconds elapsed = since(start);
    communicator.plans().count_left(question, elapsed);
    if (process.records())
        record(call, communicator, &question, nullptr, "plans cost more so far than they brought",
               {code, native_variant, elapsed}, process);
    return code;
}

void execute(const Call& call, Communicator& communicator, const Plans::Plan& plan, Variant variant,
             Process& process, std::vector<Executor::Heard>* heard) {
    const RankProgram& program = plan.of(variant).program;
    const Seat seat = communicator.await_seat(call.comm, process);
    HostCopies buffers(call.operands(communicator.membership()), process.device_memory(), seat);
    Layout layout(buffers.operands(), program, plan.written[variant], seat, process.staging());
    try {
        communicator.executor().run(program, layout, process.staging(), heard);
    } catch (...) {
        if (layout.is_abandoned()) buffers.abandon();
        throw;
    }
    layout.finish();
    buffers.finish();
}

/// Performs the call by a plan or by MPI's own algorithm, whichever is next; `known` is what there
/// is of its signature.
int perform_next(const Call& call, const Question& question, Plans::Entry* known,
                 Communicator& communicator, Process& process) {
    const double began = process.records() ? PMPI_Wtime() : 0;
    communicator.join(call.comm, process);
    if (!communicator.is_planned())
        return native(call, communicator, &question, nullptr, to_string(communicator.verdict()),
                      process);
    Plans::Entry* const found =
        communicator.plans().of(call, question, known, communicator, process);
    if (found == nullptr) return left(call, question, communicator, process);
    Plans::Entry& entry = *found;
    // Only the call itself is looked at, not what its first one prepares.
    if (process.records()) entry.preparing += since(began);
    Performed performed;
    performed.variant = entry.bandit.next();
    const bool looked_at = entry.bandit.looks();
    // The leader's account takes what MPI's own calls take from the looks at them.
    const bool is_told = performed.variant == native_variant && entry.is_known(native_variant);
    const bool timed = looked_at || process.records() || (communicator.leads() && !is_told);
    const auto settle = [&] {
        if (communicator.is_freed()) return;
        ++entry.done;
        const std::uint64_t bytes = !looked_at                  ? 0
                                    : question.signature.direct ? bytes_brought(call, communicator)
                                                                : question.bytes.value;
        const std::size_t before = entry.bandit.agreements();
        communicator.plans().count(call, question, entry, performed.variant, performed.elapsed,
                                   static_cast<double>(bytes), communicator.rank());
        if (entry.bandit.agreements() == before) return;
        if (process.records()) record_arrival(call, communicator, entry, process);
        if (!communicator.leads()) return;
        process.log().debug(fmt::format("{}: {}", call.name(), entry.finding()));
        RememberedChanges* changes = process.changes();
        if (const auto foretold = entry.bandit.as_foretold(); foretold && changes != nullptr)
            changes->saw(*entry.plan->schedules[*foretold], communicator.places(), Process::now());
    };
    try {
        const double start = timed ? PMPI_Wtime() : 0;
        if (performed.variant == native_variant) {
            performed.code = call.native();
        } else {
            // The plan may be another one by the next call.
            const std::shared_ptr<const Plans::Plan> plan = entry.plan;
            execute(call, communicator, *plan, performed.variant, process,
                    looked_at ? &entry.heard : nullptr);
        }
        if (timed) performed.elapsed = since(start);
    } catch (...) {
        // The others count this call, too.
        settle();
        throw;
    }
    settle();
    if (process.records()) record(call, communicator, &question, &entry, "", performed, process);
    return performed.code;
}

int planned_or_native(const Call& call, Process& process) {
    Communicator& communicator = Communicator::of(call.comm, process);
    const Communicator::InCall in_call(communicator);
    const bool reports = process.records();
    communicator.catch_up(call, process);
    const Membership in = communicator.membership();
    if (!communicator.is_planned()) {
        if (!reports) return call.native();
        const std::string reason = to_string(communicator.verdict());
        // Between groups a call has other arguments.
        if (communicator.verdict() == Verdict::intercommunicator)
            return native(call, communicator, nullptr, nullptr, reason, process);
        const Question asked = call.ask(in);
        return native(call, communicator, &asked, nullptr, reason, process);
    }
    const Question question = call.ask(in);
    if (question.refusal != nullptr) {
        if (!reports) return call.native();
        return native(call, communicator, &question, nullptr, question.refusal, process);
    }
    Plans::Entry* known = communicator.plans().find(question.signature);
    if (known != nullptr && known->is_native()) {
        ++known->done;
        if (!reports) return call.native();
        return native(call, communicator, &question, known, "", process);
    }
    if (!call.is_sound(in)) {
        if (!reports) return call.native();
        return native(call, communicator, &question, nullptr, wrong_arguments, process);
    }
    return perform_next(call, question, known, communicator, process);
}

}  // namespace

int perform(const Call& call) { return guarded(call.name(), call, planned_or_native); }

}  // namespace espalier::runtime
