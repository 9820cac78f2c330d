#include "runtime/plans.hpp"

#include "core/meter.hpp"
#include "core/text.hpp"
#include "measure/names.hpp"
#include "runtime/clock.hpp"
#include "runtime/communicator.hpp"
#include "runtime/deal_under_way.hpp"
#include "runtime/dealing.hpp"
#include "runtime/failure.hpp"
#include "runtime/flavour.hpp"
#include "runtime/layout.hpp"
#include "runtime/logic/plan_from_before.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace espalier::runtime {

namespace {

using schedule::Kind;

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

/// `sizes` of a call, where it is one among neighbours with who they are.
BlockSizes of_neighbours(const Signature& signature, BlockSizes sizes,
                         const Communicator& communicator) {
    if (!signature.among_neighbours) return sizes;
    sizes.neighbours = communicator.neighbourhood()->pairs();
    if (signature.direct) return sizes;
    const std::size_t ranks = sizes.neighbours->rows();
    auto pairs = std::make_shared<Matrix<Bytes>>(ranks, ranks);
    for (std::size_t from = 0; from < ranks; ++from)
        for (std::size_t to = 0; to < ranks; ++to)
            if (from != to && (*sizes.neighbours)(from, to) != 0)
                (*pairs)(from, to) = signature.bytes;
    sizes.of_pairs = std::move(pairs);
    return sizes;
}

/// Plans for the network as one of `lessons` supposes it to be: that of the plan which is best over
/// all of them.
PlannedRanks plan_by_lessons(std::span<const Learning::Lesson> lessons, Plans::Entry& entry,
                             const Communicator& communicator,
                             const std::function<PlannedRanks(const PlannableNetwork&)>& plan_on) {
    std::vector<PlannedRanks> plans;
    std::vector<std::shared_ptr<const schedule::Schedule>> schedules;
    for (const Learning::Lesson& lesson : lessons) {
        plans.push_back(plan_on(*lesson.network));
        if (plans.back().schedules.empty()) break;
        schedules.push_back(plans.back().schedules.front());
    }
    const std::size_t best = schedules.size() == lessons.size()
                                 ? best_over_all(schedules, lessons, communicator.places())
                                 : plans.size() - 1;
    entry.supposed = lessons[best];
    return std::move(plans[best]);
}

/// Whether calls decide as a record says that is kept of them.
bool has_record(const Signature& signature, const Settings& settings) {
    return !signature.exact && settings.planning == Settings::Planning::automatic;
}

/// Once more, if `entry` has a plan, as carefully as what its calls took so far pays for.
/// `lessons`: what may explain that its calls take another time than they did.
PlannedRanks plan_signature(const Signature& signature, const BlockSizes& sizes,
                            Plans::Entry& entry, std::span<const Learning::Lesson> lessons,
                            const Communicator& communicator, Process& process) {
    const Settings& settings = communicator.settings(process);
    const bool is_told = !settings.report.empty() || settings.log == Settings::Log::debug;
    const auto eager = communicator.network()->eager(measure::library_name());
    Policy policy{
        settings.planning, settings.algorithm_for(signature.kind),      settings.reproducible,
        settings.memory,   eager.value_or(Bytes(Flavour::eager_bytes)), is_told};
    if (entry.bandit.chooses()) policy.spent = entry.bandit.spent();
    if (!lessons.empty()) {
        policy.usual = lessons.front().usual;
        policy.unexplained =
            lessons.front().changes.empty() && communicator.believed() == communicator.network();
    }
    // Calls that no later run knows of can't be done again.
    if (!entry.record && policy.reproducible == Settings::Reproducible::by_record)
        policy.reproducible = Settings::Reproducible::by_network;
    policy.robust = settings.robust;
    policy.is_repeated = entry.is_repeated;
    policy.steps_before = entry.plan->share.steps;
    // What was measured may not change results.
    const bool is_free = signature.exact || settings.reproducible == Settings::Reproducible::never;
    const auto& first = communicator.network();
    const auto& network = is_free ? communicator.believed() : first;
    const auto plan_on = [&](const PlannableNetwork& on) {
        return plan_ranks(on.view(), communicator.places(), signature, sizes, policy);
    };
    PlannedRanks planned = lessons.empty() ? plan_on(*network)
                                           : plan_by_lessons(lessons, entry, communicator, plan_on);
    // Where calls have just told of a change, the plan that they had is known better.
    if (network != first && lessons.empty()) {
        policy.bounded = false;
        if (planned.shares.front().is_left_to_calls())
            foretell_return(planned, first->view(), communicator.places());
        add_plan_from_before(planned, plan_on(*first), network->view(), communicator.places(),
                             process.changes() == nullptr ? 0 : process.changes()->over());
    }
    auto& shares = planned.shares;
    if (entry.record && shares.front().is_left_to_calls() && !entry.record->turns().empty()) {
        const auto turns = entry.record->turns_by(shares.front());
        for (PlannedCollective& share : shares) share.turns = turns;
    }
    return planned;
}

/// The same for calls that wait for it, which is said.
PlannedRanks plan_by_leader(const char* name, const Signature& signature, const BlockSizes& sizes,
                            Plans::Entry& entry, std::span<const Learning::Lesson> lessons,
                            const Communicator& communicator, Process& process) {
    const Settings& settings = communicator.settings(process);
    if (has_record(signature, settings))
        entry.record = process.open_record(signature, communicator.ranks_in_world());
    PlannedRanks planned = plan_signature(signature, sizes, entry, lessons, communicator, process);
    const auto& shares = planned.shares;
    const AlgorithmChoice choice = settings.algorithm_for(signature.kind);
    if (shares.front().is_native() && choice.name != "auto" && choice.name != "native" &&
        settings.planning != Settings::Planning::never)
        process.log().warn(
            fmt::format("ESPALIER_ALGORITHM: {}: {}; left to MPI", name, shares.front().refusal));
    tell(shares.front(),
         fmt::format(
             "{} of {}{} among {}", name, format_bytes(signature.bytes),
             schedule::has_root(signature.kind) ? fmt::format(", root {}", signature.root) : "",
             communicator.size()),
         process);
    if (process.log().has_debug()) process.log().debug(plan::explain(planned.considered));
    return planned;
}

}  // namespace

std::shared_ptr<const Plans::Plan> Plans::none() {
    auto plan = std::make_shared<Plan>();
    plan->share.refusal = "no plan could be made";
    return plan;
}

PlannedRanks Plans::lead(const char* name, const Signature& signature, const BlockSizes& sizes,
                         Plans::Entry& entry, const Communicator& communicator, Process& process,
                         std::span<const Learning::Lesson> lessons) {
    Ledger& ledger = ledger_of(signature);
    const double began = PMPI_Wtime();
    PlannedRanks planned =
        plan_by_leader(name, signature, of_neighbours(signature, sizes, communicator), entry,
                       lessons, communicator, process);
    if (!ledger.account) ledger.account.emplace();
    entry.library = planned.library;
    const PlannedCollective& share = planned.shares.front();
    // What somebody asked for, or is promised to be the same in all calls, is planned anyway.
    const Settings& settings = communicator.settings(process);
    entry.is_due_anyway = settings.planning != Settings::Planning::automatic ||
                          settings.algorithm_for(signature.kind).name != "auto" ||
                          (share.is_only && !share.is_left_to_calls());
    const Seconds thought =
        share.is_only ? Meter::step * static_cast<double>(share.steps) : since(began);
    if (!entry.is_due_anyway && std::isfinite(thought.value))
        ledger.account->charge(entry.owed, thought + planned.dealing);
    for (PlannedCollective& each : planned.shares) each.pause = ledger.account->pause();
    return planned;
}

Plans::Entry Plans::foresee(const Signature& signature, const Communicator& communicator,
                            Process& process) {
    Entry entry;
    entry.planned_bytes = signature.bytes;
    if (has_record(signature, communicator.settings(process)))
        entry.record = process.peek_record(signature, communicator.ranks_in_world());
    PlannedRanks planned = plan_signature(signature, {}, entry, {}, communicator, process);
    entry.library = planned.library;
    PlannedCollective share = planned.shares.front();
    entry.adopt(plan_of(std::move(share), std::move(planned)));
    return entry;
}

std::shared_ptr<Plans::Plan> Plans::plan_of(PlannedCollective share, PlannedRanks planned) {
    auto plan = std::make_shared<Plans::Plan>();
    plan->share = std::move(share);
    if (!planned.considered.empty())
        plan->considered =
            std::make_shared<const std::vector<plan::Considered>>(std::move(planned.considered));
    plan->schedules = std::move(planned.schedules);
    for (Bandit::Variant variant = 0; variant <= plan->share.others.size(); ++variant)
        plan->written.push_back(written_chunks(plan->of(variant).program));
    return plan;
}

void Plans::pause_as(const Signature& signature, const PlannedCollective& share) {
    Ledger& ledger = ledger_of(signature);
    ledger.pause = share.pause;
    ledger.is_paused = ledger.pause > 0;
}

std::shared_ptr<Plans::Plan> Plans::make(const Call& call, const Signature& signature,
                                         const BlockSizes& sizes, Plans::Entry& entry,
                                         const Communicator& communicator, Process& process,
                                         std::span<const Learning::Lesson> lessons) {
    PlannedRanks planned;
    const double began = PMPI_Wtime();
    if (communicator.leads())
        planned = lead(call.name(), signature, sizes, entry, communicator, process, lessons);
    entry.planning += since(began);
    PlannedCollective share = deal(call.comm, planned.shares);
    ++deals_;
    pause_as(signature, share);
    return plan_of(std::move(share), std::move(planned));
}

/// A new plan for sizes as they are now; what calls decided holds for it, too.
void Plans::replan(Entry& entry, const Call& call, const Signature& signature,
                   const Communicator& communicator, Process& process) {
    const BlockSizes sizes = gather_sizes(call, signature.kind, communicator);
    ++entry.gatherings;
    Signature planned = signature;
    planned.bytes = entry.planned_bytes = size_class(largest(sizes));
    auto plan = make(call, planned, sizes, entry, communicator, process);
    if (entry.plan->share.is_native() || plan->share.is_native())
        entry.adopt(std::move(plan));
    else
        entry.plan = std::move(plan);
}

Plans Plans::for_duplicate() const {
    Plans plans = *this;
    plans.under_way_.clear();
    plans.promises_.clear();
    // Of neighbours: Open MPI 4 copies attributes to communicators that have others.
    plans.entries_.erase_if([](const Signature& signature, const Entry& entry) {
        return signature.among_neighbours || entry.deal ||
               (entry.plan->share.is_only && entry.plan->share.is_left_to_calls());
    });
    plans.entries_.for_each([](const Signature&, Entry& entry) { entry.done = 0; });
    return plans;
}

bool Plans::may_plan(const Call& call, const Signature& signature) {
    Ledger& ledger = ledger_of(signature);
    if (ledger.is_paused && ledger.pause == 0) {
        if (ledger.account) ledger.pause = ledger.account->pause();
        check_handled(PMPI_Bcast(&ledger.pause, 1, MPI_UINT64_T, 0, call.comm));
        ledger.is_paused = ledger.pause > 0;
    }
    if (!ledger.is_paused) return true;
    --ledger.pause;
    return false;
}

Plans::Entry& Plans::begin(const Signature& signature, std::shared_ptr<DealUnderWay> deal) {
    Entry made;
    made.planned_bytes = signature.bytes;
    made.deal = deal;
    under_way_.emplace_back(signature, std::move(deal));
    return entries_.insert(signature, std::move(made));
}

void Plans::complete_deals(Process& process) {
    for (const auto& [signature, deal] : std::exchange(under_way_, {})) {
        process.progress().poll_until([&, &of = *deal] { return of.is_done(); });
        ++deals_;
        Entry* entry = entries_.find(signature);
        if (entry == nullptr || entry->deal != deal) continue;
        deal->settle(*entry);
        entry->deal.reset();
        entry->known_changes = changes_;
        pause_as(signature, entry->plan->share);
    }
}

void Plans::account_for(const Signature& signature, Entry& entry, Bandit::Variant variant,
                        Seconds elapsed) {
    if (entry.is_due_anyway) return;
    PlanningAccount& account = *ledger_of(signature).account;
    const bool is_planned = variant != Bandit::native;
    const PlannedCollective& share = entry.plan->of(is_planned ? variant : 0);
    if (entry.plan->share.is_only) {
        if (!is_planned || !share.predicted) return;
        account.add(*share.predicted);
        account.pay(entry.owed, entry.library - *share.predicted);
        return;
    }
    const Bandit& bandit = entry.bandit;
    const bool is_known = entry.is_known(variant);
    const Seconds time = is_known ? bandit.time_of(variant) : elapsed;
    if (std::isfinite(time.value)) account.add(time);
    if (!is_planned || !share.predicted || !bandit.chooses()) return;
    // A root is done before the others are.
    const bool tells = !schedule::has_root(signature.kind) || signature.root != 0;
    if (tells && std::isfinite(elapsed.value)) account.compare(*share.predicted, elapsed);
    if (const auto gain = estimate(signature, entry, variant))
        account.pay(entry.owed, gain->own - gain->planned);
}

std::optional<runs::Call::Gain> Plans::estimate(const Signature& signature, const Entry& entry,
                                                Bandit::Variant plan) const {
    const PlannedCollective& share = entry.plan->of(plan);
    const Bandit& bandit = entry.bandit;
    // The leader alone knows what MPI's own is predicted to take, unless calls decide.
    const Seconds library = share.is_left_to_calls() ? share.library->expected : entry.library;
    if (!share.predicted || library.value == 0) return std::nullopt;
    const auto& account = ledger_of(signature).account;
    const auto as_seen = [&](Seconds time) { return account ? account->as_seen(time) : time; };
    const bool is_known = entry.is_known(plan);
    const Seconds planned = is_known ? bandit.time_of(plan) : as_seen(*share.predicted);
    if (entry.is_known(Bandit::native))
        return {{planned, bandit.time_of(Bandit::native), is_known}};
    const Seconds own =
        is_known ? library * std::min(planned / *share.predicted, 1.0) : as_seen(library);
    return {{planned, own, false}};
}

void Plans::count(const Call& call, const Question& question, Entry& entry, Bandit::Variant variant,
                  Seconds elapsed, double bytes, int rank) {
    Ledger& ledger = ledger_of(question.signature);
    if (ledger.account) account_for(question.signature, entry, variant, elapsed);
    const auto heard =
        entry.count({elapsed, bytes, rank, entry.predicted(variant)}, ledger.account, call.comm);
    // A later run hears nothing of these times, and has to do likewise.
    if (!heard || !question.signature.exact) return;
    ledger.pause = static_cast<std::uint64_t>(*heard);
    ledger.is_paused = ledger.pause > 0;
}

void Plans::count_left(const Question& question, Seconds elapsed) {
    Ledger& ledger = ledger_of(question.signature);
    if (ledger.account && question.signature.exact && std::isfinite(elapsed.value))
        ledger.account->add(elapsed);
}

Plans::Entry* Plans::of(const Call& call, const Question& question, Entry* known,
                        Communicator& communicator, Process& process) {
    const Signature& signature = question.signature;
    Entry* entry = known;
    if (entry == nullptr && !may_plan(call, signature)) return nullptr;
    if (entry != nullptr && entry->bandit.has_changed() &&
        (signature.direct || !entry->can_learn()))
        entry->bandit.accept_change();
    if (!signature.direct) {
        const BlockSizes sizes{communicator.leads() ? question.blocks : nullptr, nullptr};
        const auto plan = [&](Entry& of) {
            of.adopt(make(call, signature, sizes, of, communicator, process));
            of.known_changes = changes_;
        };
        if (entry == nullptr) {
            Entry made;
            made.planned_bytes = signature.bytes;
            plan(made);
            return &entries_.insert(signature, std::move(made));
        }
        if (entry->is_to_learn())
            learn(*entry, call, signature, sizes, communicator, process);
        else if (entry->is_supposed && entry->bandit.was_as_before())
            conclude(*entry, communicator, process);
        else if (entry->is_due(static_cast<std::size_t>(communicator.size())) ||
                 (entry->known_changes < changes_ && entry->bandit.is_settled() &&
                  !entry->plan->share.is_only))
            plan(*entry);
        return entry;
    }
    if (entry == nullptr) entry = &entries_.insert(signature, Entry());
    // A plan that was refused is asked for once only: its network will not get better.
    ++entry->calls;
    if (std::has_single_bit(entry->calls) && (entry->calls == 1 || !entry->is_native()))
        replan(*entry, call, signature, communicator, process);
    return entry;
}

}  // namespace espalier::runtime
