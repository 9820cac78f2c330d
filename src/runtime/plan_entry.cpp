#include "core/meter.hpp"
#include "runtime/logic/planning_effort.hpp"
#include "runtime/plans.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What is known of the calls of one signature.

namespace espalier::runtime {

void Plans::Entry::adopt(std::shared_ptr<const Plan> made) {
    const auto old = std::exchange(plan, std::move(made));
    kept.reset();
    is_supposed = false;
    // What ranks told each other was about other plans.
    if (agreement.is_under_way()) (void)agreement.hear();
    const PlannedCollective& share = plan->share;
    if (!share.is_left_to_calls()) {
        bandit = Bandit::without(share.is_native() ? Bandit::native : 0);
        return;
    }
    if (!share.turns.empty()) {
        bandit = Bandit::following(share.turns);
        return;
    }
    const std::vector<Bandit::Prior> priors = share.priors();
    const auto from_before = std::ranges::find_if(
        priors, [](const Bandit::Prior& prior) { return prior.before.has_value(); });
    if (from_before != priors.end())
        kept = static_cast<Bandit::Variant>(from_before - priors.begin());
    const Bandit before = bandit;
    if (bandit.chooses())
        bandit.replace_plans(priors);
    else
        bandit = Bandit({priors, *share.library, share.agreement, share.agreeing});
    // A change in the middle of this is one all the same.
    const std::vector<std::string> names = share.algorithms();
    const std::vector<std::string> old_names = old->share.algorithms();
    for (Bandit::Variant variant = 0; before.chooses() && variant < names.size(); ++variant) {
        const auto same = std::ranges::find(old_names, names[variant]);
        if (same == old_names.end() || priors[variant].before) continue;
        const auto was = static_cast<Bandit::Variant>(same - old_names.begin());
        const auto predicted = plan->of(variant).predicted;
        if (const auto usual = before.usual_of(was); usual && predicted && old->of(was).predicted)
            bandit.expect_as_usual(variant, *usual * (*predicted / *old->of(was).predicted));
    }
}

bool Plans::Entry::is_native() const {
    return bandit.is_fixed() && bandit.next() == Bandit::native;
}

bool Plans::Entry::is_due(std::size_t ranks) const {
    const PlannedCollective& share = plan->share;
    return !share.is_final && bandit.is_settled() && !bandit.has_changed() &&
           worth_planning(ranks, bandit.spent(), share.steps);
}

bool Plans::Entry::can_learn() const {
    return bandit.has_changed() && !plan->share.is_only &&
           plan->of(bandit.changed()).predicted.has_value();
}

bool Plans::Entry::is_to_learn() const {
    return can_learn() && bandit.pays_for(Meter::step * static_cast<double>(plan->share.steps));
}

bool Plans::Entry::is_known(Bandit::Variant variant) const {
    return bandit.chooses() && bandit.was_measured(variant);
}

Seconds Plans::Entry::predicted(Bandit::Variant variant) const {
    if (variant == Bandit::native)
        return plan->share.library ? plan->share.library->expected : Seconds(0);
    return plan->of(variant).predicted.value_or(Seconds(0));
}

std::optional<double> Plans::Entry::count(const Seen& seen,
                                          const std::optional<PlanningAccount>& account,
                                          MPI_Comm comm) {
    bandit.add(seen.elapsed, seen.bytes);
    const bool is_new_turn = bandit.has_turned();
    if (bandit.is_to_tell()) {
        std::vector<double> own(bandit.samples().begin(), bandit.samples().end());
        own.push_back(as_least(seen.elapsed, seen.rank));
        own.push_back(account ? static_cast<double>(account->pause()) : 0);
        agreement.tell(own, comm);
        bandit.told();
        told_prediction = seen.predicted;
    }
    std::optional<double> heard_word;
    const bool hears = bandit.is_to_hear();
    if (hears) {
        if (agreement.is_under_way()) {
            std::vector<double> greatest = agreement.hear();
            heard_word = greatest.back();
            greatest.pop_back();
            const double least = greatest.back();
            greatest.pop_back();
            // The time of its last call stands before the bytes of that.
            arrival =
                runtime::arrival(Seconds(greatest[greatest.size() - 2]), least, told_prediction);
            bandit.hear(greatest);
        } else {
            bandit.look_again();
        }
    }
    if (record && (hears || is_new_turn)) record->note(bandit.turns(), plan->share.algorithms());
    return heard_word;
}

RunReport::Expectation Plans::describe(const Signature& signature, const Entry& entry,
                                       Bandit::Variant variant) const {
    RunReport::Expectation expectation;
    const bool is_native = variant == Bandit::native;
    const PlannedCollective& share = entry.plan->of(is_native ? 0 : variant);
    if (is_native) {
        expectation.reason = entry.reason();
    } else {
        expectation.predicted = share.predicted;
        expectation.planned_bytes = entry.planned_bytes;
        expectation.segments = share.segments;
        expectation.gain = estimate(signature, entry, variant);
    }
    if (entry.is_known(variant)) expectation.taken = entry.bandit.time_of(variant);
    expectation.bound = share.bound;
    expectation.staging_bytes = share.staging_bytes;
    expectation.ports = share.program.ports;
    expectation.choice = entry.finding();
    if (expectation.choice.empty()) expectation.choice = share.choice;
    expectation.agreements = entry.bandit.agreements();
    expectation.gatherings = entry.gatherings;
    expectation.changes = entry.changes;
    expectation.planning = entry.planning;
    expectation.preparing = entry.preparing;
    expectation.considered = entry.plan->considered;
    return expectation;
}

std::string Plans::Entry::finding() const { return bandit.finding(plan->share.algorithms()); }

std::string Plans::Entry::reason() const {
    return plan->share.is_native() ? plan->share.refusal : finding();
}

}  // namespace espalier::runtime
