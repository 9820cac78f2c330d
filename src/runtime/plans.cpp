#include "runtime/plans.hpp"

#include "core/text.hpp"
#include "measure/names.hpp"
#include "runtime/communicator.hpp"
#include "runtime/failure.hpp"
#include "runtime/flavour.hpp"
#include "runtime/layout.hpp"
#include "runtime/logic/planning_effort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

namespace espalier::runtime {

namespace {

using schedule::Kind;

/// Everybody's sizes, at the leader.
BlockSizes gather_sizes(const Call& call, Kind kind, const Communicator& communicator) {
    const auto ranks = static_cast<std::size_t>(communicator.size());
    const auto mine = call.sizes(communicator.rank(), communicator.size());
    const int count = static_cast<int>(mine.size());
    std::vector<std::uint64_t> all(communicator.leads() ? ranks * mine.size() : 0);
    check_handled(PMPI_Gather(mine.data(), count, MPI_UINT64_T, all.data(), count, MPI_UINT64_T, 0,
                              call.comm));
    BlockSizes sizes;
    if (!communicator.leads()) return sizes;
    if (kind == Kind::alltoall) {
        auto pairs = std::make_shared<Matrix<Bytes>>(ranks, ranks);
        for (std::size_t from = 0; from < ranks; ++from)
            for (std::size_t to = 0; to < ranks; ++to)
                (*pairs)(from, to) = Bytes(all[from * ranks + to]);
        sizes.of_pairs = std::move(pairs);
    } else {
        sizes.of_ranks = std::make_shared<const std::vector<Bytes>>(all.begin(), all.end());
    }
    return sizes;
}

Bytes largest(const BlockSizes& sizes) {
    Bytes most;
    if (sizes.of_ranks)
        for (const Bytes each : *sizes.of_ranks) most = std::max(most, each);
    if (sizes.of_pairs)
        for (std::size_t from = 0; from < sizes.of_pairs->rows(); ++from)
            for (std::size_t to = 0; to < sizes.of_pairs->columns(); ++to)
                most = std::max(most, (*sizes.of_pairs)(from, to));
    return most;
}

/// The parcels of all ranks, one after the other. They are counted in words, since MPI counts no
/// further than an int.
struct Parcels {
    static constexpr std::size_t word = sizeof(std::uint64_t);
    std::string bytes;
    std::vector<int> counts;
    std::vector<int> offsets;
};

/// false: more than MPI can count.
bool add(const PlannedCollective& share, Parcels& parcels) {
    constexpr std::size_t word = Parcels::word;
    const std::size_t begin = parcels.bytes.size() / word;
    parcels.bytes += encode(share);
    parcels.bytes.resize((parcels.bytes.size() + word - 1) / word * word);
    const std::size_t end = parcels.bytes.size() / word;
    parcels.offsets.push_back(static_cast<int>(begin));
    parcels.counts.push_back(static_cast<int>(end - begin));
    return end <= static_cast<std::size_t>(std::numeric_limits<int>::max());
}

Parcels parcels_of(const std::vector<PlannedCollective>& shares) {
    Parcels parcels;
    if (std::all_of(shares.begin(), shares.end(),
                    [&](const PlannedCollective& share) { return add(share, parcels); }))
        return parcels;
    PlannedCollective none;
    none.refusal = "a plan too large to be sent";
    parcels = {};
    for (std::size_t rank = 0; rank < shares.size(); ++rank) add(none, parcels);
    return parcels;
}

/// The leader's shares, each to its rank.
PlannedCollective deal(MPI_Comm comm, const std::vector<PlannedCollective>& shares) {
    const Parcels parcels = parcels_of(shares);
    int count = 0;
    check_handled(PMPI_Scatter(parcels.counts.data(), 1, MPI_INT, &count, 1, MPI_INT, 0, comm));
    std::string bytes(static_cast<std::size_t>(count) * Parcels::word, '\0');
    check_handled(PMPI_Scatterv(parcels.bytes.data(), parcels.counts.data(), parcels.offsets.data(),
                                MPI_UINT64_T, bytes.data(), count, MPI_UINT64_T, 0, comm));
    return decode_planned(bytes);
}

void tell(const PlannedCollective& share, const std::string& what, Process& process) {
    if (share.is_native()) {
        process.log().debug(what + ": native, " + share.refusal);
        return;
    }
    process.log().debug(fmt::format("{}: {}, {} segments, predicted {}, bound {}", what,
                                    share.algorithm, share.segments,
                                    share.predicted ? format_seconds(*share.predicted) : "nothing",
                                    format_seconds(share.bound)));
}

/// Once more, if `entry` has a plan, as carefully as what its calls took so far pays for.
PlannedRanks plan_by_leader(const Call& call, const Signature& signature, const BlockSizes& sizes,
                            const Plans::Entry& entry, const Communicator& communicator,
                            Process& process) {
    const Settings& settings = process.settings();
    const bool is_told = !settings.report.empty() || settings.log == Settings::Log::debug;
    const auto eager = communicator.network().eager(measure::library_name());
    Policy policy{
        settings.planning, settings.algorithm_for(signature.kind),      settings.reproducible,
        settings.memory,   eager.value_or(Bytes(Flavour::eager_bytes)), is_told};
    if (entry.bandit.chooses()) policy.spent = entry.bandit.spent();
    policy.steps_before = entry.plan->share.steps;
    PlannedRanks planned =
        plan_ranks(communicator.network().view(), communicator.places(), signature, sizes, policy);
    const auto& shares = planned.shares;
    if (shares.front().is_native() && policy.choice.name != "auto" &&
        policy.choice.name != "native" && policy.planning != Settings::Planning::never)
        process.log().warn(fmt::format("ESPALIER_ALGORITHM: {}: {}; left to MPI", call.name(),
                                       shares.front().refusal));
    tell(shares.front(),
         fmt::format(
             "{} of {}{} among {}", call.name(), format_bytes(signature.bytes),
             schedule::has_root(signature.kind) ? fmt::format(", root {}", signature.root) : "",
             communicator.size()),
         process);
    if (process.log().has_debug()) process.log().debug(plan::explain(planned.considered));
    return planned;
}

std::shared_ptr<const Plans::Plan> make_plan(const Call& call, const Signature& signature,
                                             const BlockSizes& sizes, Plans::Entry& entry,
                                             const Communicator& communicator, Process& process) {
    PlannedRanks planned;
    const double began = PMPI_Wtime();
    if (communicator.leads())
        planned = plan_by_leader(call, signature, sizes, entry, communicator, process);
    entry.planning += Seconds(PMPI_Wtime() - began);
    auto plan = std::make_shared<Plans::Plan>();
    plan->share = deal(call.comm, planned.shares);
    if (!planned.considered.empty())
        plan->considered =
            std::make_shared<const std::vector<plan::Considered>>(std::move(planned.considered));
    for (Bandit::Variant variant = 0; variant <= plan->share.others.size(); ++variant)
        plan->written.push_back(written_chunks(plan->of(variant).program));
    return plan;
}

/// Throws MpiFailure.
void adopt(Plans::Entry& entry, std::shared_ptr<const Plans::Plan> plan) {
    entry.plan = std::move(plan);
    // What ranks told each other was about other plans.
    if (entry.agreement.is_under_way()) (void)entry.agreement.hear();
    const PlannedCollective& share = entry.plan->share;
    if (!share.is_left_to_calls()) {
        entry.bandit = Bandit::without(share.is_native() ? Bandit::native : 0);
        return;
    }
    std::vector<Bandit::Prior> plans;
    if (!share.is_native()) plans.push_back(share.prior);
    for (const PlannedCollective& other : share.others) plans.push_back(other.prior);
    if (entry.bandit.chooses())
        entry.bandit.replace_plans(plans);
    else
        entry.bandit = Bandit({plans, *share.library, share.agreement});
}

/// A new plan for sizes as they are now; what calls decided holds for it, too.
void replan(Plans::Entry& entry, const Call& call, const Signature& signature,
            const Communicator& communicator, Process& process) {
    const BlockSizes sizes = gather_sizes(call, signature.kind, communicator);
    ++entry.gatherings;
    Signature planned = signature;
    planned.bytes = entry.planned_bytes = size_class(largest(sizes));
    auto plan = make_plan(call, planned, sizes, entry, communicator, process);
    if (entry.plan->share.is_native() || plan->share.is_native())
        adopt(entry, std::move(plan));
    else
        entry.plan = std::move(plan);
}

}  // namespace

std::shared_ptr<const Plans::Plan> Plans::none() {
    auto plan = std::make_shared<Plan>();
    plan->share.refusal = "no plan could be made";
    return plan;
}

bool Plans::Entry::is_native() const {
    return !bandit.chooses() && bandit.next() == Bandit::native;
}

bool Plans::Entry::is_due(std::size_t ranks) const {
    const PlannedCollective& share = plan->share;
    return !share.is_final && bandit.is_settled() &&
           worth_planning(ranks, bandit.spent(), share.steps);
}

void Plans::Entry::count(Seconds elapsed, double bytes, MPI_Comm comm) {
    bandit.add(elapsed, bytes);
    if (bandit.is_to_tell()) {
        agreement.tell(bandit.samples(), comm);
        bandit.told();
    }
    if (!bandit.is_to_hear()) return;
    if (agreement.is_under_way())
        bandit.hear(agreement.hear());
    else
        bandit.look_again();
}

std::string Plans::Entry::finding() const {
    std::vector<std::string> algorithms;
    if (!plan->share.is_native()) algorithms.push_back(plan->share.algorithm);
    for (const PlannedCollective& other : plan->share.others) algorithms.push_back(other.algorithm);
    return bandit.finding(algorithms);
}

std::string Plans::Entry::reason() const {
    return plan->share.is_native() ? plan->share.refusal : finding();
}

Plans::Entry& Plans::of(const Call& call, const Question& question,
                        const Communicator& communicator, Process& process) {
    const Signature& signature = question.signature;
    Entry* entry = entries_.find(signature);
    if (!signature.direct) {
        const BlockSizes sizes{communicator.leads() ? question.blocks : nullptr, nullptr};
        const auto plan = [&](Entry& of) {
            adopt(of, make_plan(call, signature, sizes, of, communicator, process));
        };
        if (entry == nullptr) {
            Entry made;
            made.planned_bytes = signature.bytes;
            plan(made);
            return entries_.insert(signature, std::move(made));
        }
        if (entry->is_due(static_cast<std::size_t>(communicator.size()))) plan(*entry);
        return *entry;
    }
    if (entry == nullptr) entry = &entries_.insert(signature, Entry());
    // A plan that was refused is asked for once only: its network will not get better.
    ++entry->calls;
    if (std::has_single_bit(entry->calls) && (entry->calls == 1 || !entry->is_native()))
        replan(*entry, call, signature, communicator, process);
    return *entry;
}

}  // namespace espalier::runtime
