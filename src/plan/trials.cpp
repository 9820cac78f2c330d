#include "plan/trials.hpp"

#include "core/infinity.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
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
        if (entry.maker == maker && entry.compared)
            best = std::min(best.value_or(entry.time()), entry.time());
    return best;
}

void Trials::simulate(double part) {
    Meter round(meter_.share(part));
    std::vector<Entry*> waiting;
    for (Entry& entry : entries_)
        if (!entry.compared && !entry.given_up) waiting.push_back(&entry);
    // The least that was seen, by algorithm, apart for those that nothing slows down, and for those
    // that were simulated at stated costs.
    using Likes = std::tuple<std::string_view, bool, bool>;
    const auto likes_of = [](const Entry* entry) {
        return Likes(entry->candidate.algorithm, entry->candidate.contended,
                     entry->plan.has_value());
    };
    std::map<Likes, double> slowdown;
    const auto expected = [&](const Entry* entry) {
        const auto seen = slowdown.find(likes_of(entry));
        return entry->time().value * (seen == slowdown.end() ? 1 : seen->second);
    };
    while (!waiting.empty()) {
        const auto next = std::ranges::min_element(waiting, {}, expected);
        Entry& entry = **next;
        if (!is_worth_simulating(entry, round.spent() > 0 ? round : meter_)) {
            waiting.erase(next);
            continue;
        }
        const Likes likes = likes_of(&entry);
        const double seemed = entry.time().value;
        const std::uint64_t before = meter_.spent();
        if (entry.plan)
            simulate_in_scenarios(entry, limit_of(entry));
        else
            simulate(entry);
        round.spend(meter_.spent() - before);
        if (entry.compared || entry.given_up) waiting.erase(next);
        if (entry.given_up) continue;
        const double times = seemed > 0 ? entry.plan->time.value / seemed : 1;
        const auto [seen, is_new] = slowdown.try_emplace(likes, times);
        if (!is_new) seen->second = std::min(seen->second, times);
    }
}

/// The time from which on it is of no interest how long it takes.
Seconds Trials::limit_of(const Entry& entry) const {
    if (!least_) return Seconds(infinity);
    const auto best = best_of_.find(entry.candidate.algorithm);
    return best == best_of_.end() ? *least_ * (1 + uncertainty_) : best->second;
}

std::uint64_t Trials::steps_of_next(const Entry& entry) const {
    return entry.candidate.steps() * (entry.plan ? network::scenario_count : 1);
}

/// Says why not. At least half of the scenarios take as long as the stated costs, if messages only
/// queue: they come in pairs, and the logarithm of the makespan is convex in those of the factors.
bool Trials::is_worth_simulating(Entry& entry, const Meter& round) const {
    if (least_ && entry.time() >= limit_of(entry) && entry.time() > *least_) {
        entry.outcome = "not simulated: it can't be faster";
    } else if (round.work_left() < steps_of_next(entry) || (least_ && round.over())) {
        entry.outcome = "not simulated: the budget was used up";
    } else {
        return true;
    }
    if (entry.plan) entry.outcome.replace(0, 13, "not simulated in scenarios");
    return false;
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
    entry.simulated = plan.time;
    if (scenarios_ == nullptr) compare(entry);
}

/// The entry was simulated at the stated costs.
void Trials::simulate_in_scenarios(Entry& entry, Seconds limit) {
    Ranked& plan = *entry.plan;
    const Seconds overhead = overhead_of(plan.plan.schedule, overhead_);
    const auto [time, simulations] = scenarios_->makespan(plan.plan.schedule, limit - overhead);
    meter_.spend(entry.candidate.steps() * simulations);
    if (!time) {
        entry.given_up = true;
        entry.outcome =
            fmt::format("given up after {} of {} scenarios", simulations, network::scenario_count);
        return;
    }
    plan.plan.robust = schedule::Robust{scenarios_->percentile(), *time, Seconds(0)};
    if (plan.clusters) plan.clusters->robust = plan.plan.robust;
    plan.time = *time + overhead;
    compare(entry);
}

void Trials::compare(Entry& entry) {
    const Seconds time = entry.plan->time;
    entry.compared = true;
    least_ = std::min(least_.value_or(time), time);
    const auto [best, is_new] = best_of_.try_emplace(entry.candidate.algorithm, time);
    if (!is_new) best->second = std::min(best->second, time);
}

Race Trials::conclude() {
    if (scenarios_ != nullptr && !least_) compare_one();
    std::ranges::stable_sort(entries_, [](const Entry& a, const Entry& b) {
        if (a.compared != b.compared) return a.compared;
        if (a.plan.has_value() != b.plan.has_value()) return a.plan.has_value();
        return a.time() < b.time();
    });
    put_simplest_first();
    Race race;
    race.ranked = ranked();
    race.considered = considered();
    return race;
}

/// The budget sufficed for none: the one that seems to be the best, if that is over in the time of
/// the longest planning.
void Trials::compare_one() {
    Entry& entry = *std::ranges::min_element(entries_, {}, [](const Entry& one) {
        return std::pair(!one.plan.has_value(), one.time());
    });
    if (entry.candidate.steps() > race_effort.most_steps / network::scenario_count) return;
    if (!entry.plan) simulate(entry);
    simulate_in_scenarios(entry, Seconds(infinity));
}

std::vector<Ranked> Trials::ranked() const {
    std::vector<Ranked> plans;
    const Seconds longest = entries_.front().time() * (1 + uncertainty_);
    std::set<std::string> names;
    for (const Entry& entry : entries_) {
        if (!plans.empty() && (!entry.compared || entry.time() > longest)) break;
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
        return !entry.compared || entry.time() > least * (1 + race_effort.as_fast);
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
        one.simulated = entry.simulated;
        one.costs = candidate.costs;
        if (entry.compared) {
            if (scenarios_ != nullptr) one.robust = entry.time();
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
