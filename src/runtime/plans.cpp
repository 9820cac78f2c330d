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
#include <exception>
#include <functional>
#include <limits>
#include <numeric>
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
                            const Plans::Entry& entry, std::optional<double> usual,
                            const Communicator& communicator, Process& process) {
    const Settings& settings = process.settings();
    const bool is_told = !settings.report.empty() || settings.log == Settings::Log::debug;
    const auto eager = communicator.network().eager(measure::library_name());
    Policy policy{
        settings.planning, settings.algorithm_for(signature.kind),      settings.reproducible,
        settings.memory,   eager.value_or(Bytes(Flavour::eager_bytes)), is_told};
    if (entry.bandit.chooses()) policy.spent = entry.bandit.spent();
    policy.usual = usual;
    policy.steps_before = entry.plan->share.steps;
    // What was measured may not change results.
    const PlannableNetwork& network = signature.exact || !settings.reproducible
                                          ? *communicator.believed()
                                          : communicator.network();
    PlannedRanks planned =
        plan_ranks(network.view(), communicator.places(), signature, sizes, policy);
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

std::shared_ptr<Plans::Plan> make_plan(const Call& call, const Signature& signature,
                                       const BlockSizes& sizes, Plans::Entry& entry,
                                       const Communicator& communicator, Process& process,
                                       std::optional<double> usual = {}) {
    PlannedRanks planned;
    const double began = PMPI_Wtime();
    if (communicator.leads())
        planned = plan_by_leader(call, signature, sizes, entry, usual, communicator, process);
    entry.planning += Seconds(PMPI_Wtime() - began);
    auto plan = std::make_shared<Plans::Plan>();
    plan->share = deal(call.comm, planned.shares);
    if (!planned.considered.empty())
        plan->considered =
            std::make_shared<const std::vector<plan::Considered>>(std::move(planned.considered));
    plan->schedules = std::move(planned.schedules);
    for (Bandit::Variant variant = 0; variant <= plan->share.others.size(); ++variant)
        plan->written.push_back(written_chunks(plan->of(variant).program));
    return plan;
}

/// Throws MpiFailure.
void adopt(Plans::Entry& entry, std::shared_ptr<const Plans::Plan> plan) {
    entry.plan = std::move(plan);
    entry.kept.reset();
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

/// Whom each rank heard in the call that was looked at, at the leader. Of very many a rank tells
/// those that it waited for longest.
std::vector<Stream> gather_streams(std::vector<Executor::Heard> heard,
                                   const Communicator& communicator, MPI_Comm comm) {
    constexpr std::size_t most_told = 64;
    constexpr std::size_t values = 3;
    if (heard.size() > most_told) {
        std::ranges::sort(heard, std::greater(), &Executor::Heard::last);
        heard.resize(most_told);
    }
    std::vector<double> own;
    for (const Executor::Heard& each : heard)
        own.insert(own.end(), {static_cast<double>(each.from), each.first, each.last});
    const auto ranks = static_cast<std::size_t>(communicator.size());
    const int count = static_cast<int>(own.size());
    std::vector<int> counts(communicator.leads() ? ranks : 0);
    check_handled(PMPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm));
    std::vector<int> offsets(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    std::vector<double> all(
        static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0)));
    check_handled(PMPI_Gatherv(own.data(), count, MPI_DOUBLE, all.data(), counts.data(),
                               offsets.data(), MPI_DOUBLE, 0, comm));
    std::vector<Stream> streams;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        const std::size_t begin = static_cast<std::size_t>(offsets[rank]);
        const std::size_t end = begin + static_cast<std::size_t>(counts[rank]);
        for (std::size_t k = begin; k + values <= end; k += values)
            streams.push_back(
                {static_cast<std::size_t>(all[k]), rank, Seconds(all[k + 1]), Seconds(all[k + 2])});
    }
    return streams;
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
    return !share.is_final && bandit.is_settled() && !bandit.has_changed() &&
           worth_planning(ranks, bandit.spent(), share.steps);
}

bool Plans::Entry::can_learn() const {
    return bandit.has_changed() && plan->of(bandit.next()).predicted.has_value();
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

/// Adds a plan from before a change, whose calls take `now`, `slower` times as long as until then,
/// to those among which calls decide.
void keep(const Plans::Plan& before, Bandit::Variant variant, Seconds now, double slower,
          Plans::Plan& plan) {
    if (plan.share.is_native()) return;
    PlannedCollective kept = before.of(variant);
    kept.others.clear();
    kept.predicted = *kept.predicted * slower;
    kept.prior = {now, 0, 1.0, true};
    plan.share.others.push_back(std::move(kept));
    plan.written.push_back(before.written[variant]);
    if (!before.schedules.empty()) plan.schedules.push_back(before.schedules[variant]);
}

/// The leader's: what a call that took another time than before tells of the network.
Learning::Lesson lesson_of(const Plans::Plan& plan, const Bandit& bandit,
                           std::vector<Stream> streams, Communicator& communicator,
                           Process& process) {
    const Bandit::Variant variant = bandit.next();
    const Seconds predicted = *plan.of(variant).predicted;
    try {
        return communicator.learning().learn(
            communicator.believed(), communicator.places(),
            {plan.schedules[variant], predicted, bandit.before(), bandit.now(), std::move(streams)},
            !bandit.was_as_before());
    } catch (const std::exception& error) {
        // The others wait for a plan.
        process.log().warn(fmt::format("what has changed can't be found: {}", error.what()));
        return {communicator.believed(), bandit.now() / predicted, ""};
    }
}

/// Its calls take another time than they did: the leader asks what of the network has changed, and
/// plans anew. Collective. Throws MpiFailure.
void Plans::learn(Entry& entry, const Call& call, const Signature& signature,
                  const BlockSizes& sizes, Communicator& communicator, Process& process) {
    const std::shared_ptr<const Plan> before = entry.plan;
    const Bandit bandit = entry.bandit;
    std::vector<Stream> streams = gather_streams(std::move(entry.heard), communicator, call.comm);
    std::optional<double> usual;
    const auto believed = communicator.leads() ? communicator.believed() : nullptr;
    if (communicator.leads()) {
        Learning::Lesson lesson =
            lesson_of(*before, bandit, std::move(streams), communicator, process);
        process.log().debug(fmt::format(
            "{}: took {}, takes {}: {}", call.name(), format_seconds(bandit.before()),
            format_seconds(bandit.now()),
            lesson.changes.empty() ? "no rate has changed since the start" : lesson.changes));
        usual = lesson.usual;
        entry.supposed = lesson.network;
        communicator.believe(std::move(lesson.network));
    }
    ++entry.changes;
    auto plan = make_plan(call, signature, sizes, entry, communicator, process, usual);
    // Other calls are planned on it when these have shown that it is so.
    if (communicator.leads()) communicator.believe(believed);
    // What other plans took before the change means nothing now.
    if (entry.kept && bandit.time_of(*entry.kept) < bandit.now())
        keep(*before, *entry.kept, bandit.time_of(*entry.kept), 1, *plan);
    else
        keep(*before, bandit.next(), bandit.now(), bandit.now() / bandit.before(), *plan);
    entry.bandit = Bandit::without(Bandit::native);
    adopt(entry, std::move(plan));
    if (entry.bandit.chooses() && !entry.plan->share.is_native())
        entry.kept = entry.plan->share.others.size();
}

/// Calls take what was expected after a change. If they do by a new plan, the network is what was
/// supposed, or at least good enough for plans.
void Plans::conclude(Entry& entry, Communicator& communicator) {
    const bool is_new = entry.bandit.next() != *entry.kept;
    const auto supposed = std::move(entry.supposed);
    entry.kept.reset();
    if (!is_new) return;
    if (communicator.leads()) communicator.believe(supposed);
    entry.known_changes = ++changes_;
}

Plans::Entry& Plans::of(const Call& call, const Question& question, Communicator& communicator,
                        Process& process) {
    const Signature& signature = question.signature;
    Entry* entry = entries_.find(signature);
    if (entry != nullptr && entry->bandit.has_changed() &&
        (signature.direct || !entry->can_learn()))
        entry->bandit.accept_change();
    if (!signature.direct) {
        const BlockSizes sizes{communicator.leads() ? question.blocks : nullptr, nullptr};
        const auto plan = [&](Entry& of) {
            adopt(of, make_plan(call, signature, sizes, of, communicator, process));
            of.known_changes = changes_;
        };
        if (entry == nullptr) {
            Entry made;
            made.planned_bytes = signature.bytes;
            plan(made);
            return entries_.insert(signature, std::move(made));
        }
        if (entry->can_learn())
            learn(*entry, call, signature, sizes, communicator, process);
        else if (entry->kept && entry->bandit.was_as_before())
            conclude(*entry, communicator);
        else if (entry->is_due(static_cast<std::size_t>(communicator.size())) ||
                 (entry->known_changes < changes_ && entry->bandit.is_settled()))
            plan(*entry);
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
