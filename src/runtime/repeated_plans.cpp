#include "runtime/communicator.hpp"
#include "runtime/plans.hpp"

#include <utility>

// Plans of calls that a program makes ready, to start them again and again.

namespace espalier::runtime {

Plans::Entry Plans::of_repeated(const Call& call, const Question& question,
                                const Communicator& communicator, Process& process) {
    const Signature& signature = question.signature;
    take_in_promises();
    Entry* const known = signature.direct ? nullptr : find(signature);
    Entry made;
    if (known != nullptr && (!known->plan->share.is_native() || known->plan->share.is_final)) {
        made = Entry(*known);
        made.owed = Seconds(0);  // its own calls pay for it
        return made;
    }
    if (!may_plan(call, signature)) return made;
    made.is_repeated = true;
    made.planned_bytes = signature.bytes;
    if (signature.direct) {
        replan(made, call, signature, communicator, process);
        return made;
    }
    const BlockSizes sizes{communicator.leads() ? question.blocks : nullptr, nullptr};
    made.adopt(make(call, signature, sizes, made, communicator, process));
    made.known_changes = changes_;
    Entry kept = made;
    kept.owed = Seconds(0);
    if (known != nullptr)
        *known = std::move(kept);
    else
        entries_.insert(signature, std::move(kept));
    return made;
}

std::shared_ptr<std::atomic<std::uint64_t>> Plans::promise(const Signature& signature,
                                                           const Entry& entry,
                                                           Bandit::Variant variant) {
    auto starts = std::make_shared<std::atomic<std::uint64_t>>(0);
    const auto predicted = entry.plan->of(variant).predicted;
    const auto gain = estimate(signature, entry, variant);
    if (ledger_of(signature).account && !entry.is_due_anyway && predicted && gain)
        promises_.push_back({signature, starts, *predicted, gain->own - gain->planned, entry.owed});
    return starts;
}

/// What calls took and brought since they were looked at last.
void Plans::take_in_promises() {
    for (Promise& promise : promises_) {
        PlanningAccount& account = *ledger_of(promise.signature).account;
        for (const std::uint64_t starts = *promise.starts; promise.paid < starts; ++promise.paid) {
            account.add(promise.predicted);
            account.pay(promise.owed, promise.gain);
        }
    }
    // Those that were freed.
    std::erase_if(promises_,
                  [](const Promise& promise) { return promise.starts.use_count() == 1; });
}

}  // namespace espalier::runtime
