#include "plan/trials.hpp"

#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace espalier::plan {

namespace {

/// A plan that was not simulated within the budget, so that there always is one. If that takes no
/// longer than planning for one rank, it is simulated now.
Ranked unsimulated(const Candidate& candidate) {
    if (candidate.tree != nullptr) return candidate.tree->finish(candidate.schedule);
    Ranked plan;
    if (candidate.steps() <= race_effort.steps_a_rank) {
        plan.plan.timeline = simulate::simulate(candidate.schedule, *candidate.fabric);
        plan.plan.schedule = candidate.schedule;
        plan.time = candidate.optimistic;
        return plan;
    }
    plan.plan.schedule = candidate.schedule;
    plan.time = candidate.optimistic;
    plan.simulated = false;
    return plan;
}

}  // namespace

void Trials::add(Candidate candidate, std::size_t maker) {
    // Who searches again may find the same again.
    const bool is_there = std::ranges::any_of(entries_, [&](const Entry& entry) {
        const Candidate& other = entry.candidate;
        return other.algorithm == candidate.algorithm && other.ports == candidate.ports &&
               other.segments == candidate.segments && other.messages == candidate.messages &&
               other.optimistic == candidate.optimistic;
    });
    if (!is_there) entries_.push_back({std::move(candidate), maker});
}

std::optional<Seconds> Trials::best_of(std::size_t maker) const {
    std::optional<Seconds> best;
    for (const Entry& entry : entries_)
        if (entry.maker == maker && entry.plan)
            best = std::min(best.value_or(entry.time()), entry.time());
    return best;
}

void Trials::simulate(double part) {
    Meter round(meter_.share(part));
    std::vector<Entry*> waiting;
    for (Entry& entry : entries_)
        if (!entry.plan) waiting.push_back(&entry);
    // The least that was seen, by algorithm, and apart for those that nothing slows down.
    using Likes = std::pair<std::string_view, bool>;
    const auto likes_of = [](const Entry* entry) {
        return Likes(entry->candidate.algorithm, entry->candidate.contended);
    };
    std::map<Likes, double> slowdown;
    const auto expected = [&](const Entry* entry) {
        const auto seen = slowdown.find(likes_of(entry));
        return entry->candidate.optimistic.value * (seen == slowdown.end() ? 1 : seen->second);
    };
    while (!waiting.empty()) {
        const auto next = std::ranges::min_element(waiting, {}, expected);
        Entry& entry = **next;
        waiting.erase(next);
        if (!is_worth_simulating(entry, round.spent() > 0 ? round : meter_)) continue;
        round.spend(entry.candidate.steps());
        simulate(entry);
        const double seemed = entry.candidate.optimistic.value;
        const double times = seemed > 0 ? entry.plan->time.value / seemed : 1;
        const auto [seen, is_new] = slowdown.try_emplace(likes_of(&entry), times);
        if (!is_new) seen->second = std::min(seen->second, times);
    }
}

/// Says why not.
bool Trials::is_worth_simulating(Entry& entry, const Meter& round) const {
    const Candidate& candidate = entry.candidate;
    if (least_) {
        const auto best = best_of_.find(candidate.algorithm);
        const Seconds limit = best == best_of_.end() ? *least_ * (1 + uncertainty_) : best->second;
        if (candidate.optimistic >= limit && candidate.optimistic > *least_) {
            entry.outcome = "not simulated: it can't be faster";
            return false;
        }
    }
    if (round.work_left() < candidate.steps() || (least_ && round.over())) {
        entry.outcome = "not simulated: the budget was used up";
        return false;
    }
    return true;
}

void Trials::simulate(Entry& entry) {
    Candidate& candidate = entry.candidate;
    meter_.spend(candidate.steps());
    Ranked& plan = entry.plan.emplace();
    if (candidate.tree != nullptr) {
        plan = candidate.tree->finish(candidate.schedule);
    } else {
        plan.plan.timeline = simulate::simulate(candidate.schedule, *candidate.fabric);
        plan.plan.schedule = std::move(candidate.schedule);
    }
    plan.time = plan.plan.timeline.makespan + overhead_of(plan.plan.schedule, overhead_);
    least_ = std::min(least_.value_or(plan.time), plan.time);
    const auto [best, is_new] = best_of_.try_emplace(candidate.algorithm, plan.time);
    if (!is_new) best->second = std::min(best->second, plan.time);
}

Race Trials::conclude() {
    std::ranges::stable_sort(entries_, [](const Entry& a, const Entry& b) {
        if (a.plan.has_value() != b.plan.has_value()) return a.plan.has_value();
        return a.time() < b.time();
    });
    put_simplest_first();
    Race race;
    race.ranked = ranked();
    race.considered = considered();
    return race;
}

std::vector<Ranked> Trials::ranked() const {
    std::vector<Ranked> plans;
    const Seconds longest = entries_.front().time() * (1 + uncertainty_);
    std::set<std::string> names;
    for (const Entry& entry : entries_) {
        if (!plans.empty() && (!entry.plan || entry.time() > longest)) break;
        if (!names.insert(entry.candidate.algorithm).second) continue;
        plans.push_back(entry.plan ? *entry.plan : unsimulated(entry.candidate));
    }
    return plans;
}

/// Puts first, of the plans that are as fast as the best, one with the fewest messages in
/// flight at once: what many do to each other is the hardest to predict.
void Trials::put_simplest_first() {
    const Seconds least = entries_.front().time();
    const auto slower = std::ranges::find_if(entries_, [&](const Entry& entry) {
        return !entry.plan || entry.time() > least * (1 + race_effort.as_fast);
    });
    const auto simplest = std::min_element(
        entries_.begin(), slower,
        [](const Entry& a, const Entry& b) { return a.candidate.ports < b.candidate.ports; });
    if (simplest != slower) std::rotate(entries_.begin(), simplest, simplest + 1);
}

std::vector<Considered> Trials::considered() const {
    std::vector<Considered> all;
    const Seconds least = entries_.front().time();
    for (const Entry& entry : entries_) {
        const Candidate& candidate = entry.candidate;
        Considered one{candidate.algorithm,  candidate.ports, candidate.segments,
                       candidate.optimistic, std::nullopt,    entry.outcome};
        if (entry.plan) {
            one.simulated = entry.time();
            const double more = least.value > 0 ? std::max(0.0, entry.time() / least - 1) : 0;
            one.outcome =
                all.empty() ? "the plan" : fmt::format("{:.1f}% longer than the plan", 100 * more);
        } else if (all.empty()) {
            one.outcome = "the plan, " + entry.outcome;
        }
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace espalier::plan
