#include "plan/race.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "plan/algorithm.hpp"
#include "plan/candidates.hpp"
#include "plan/exchange_plan.hpp"
#include "plan/job_bounds.hpp"
#include "plan/overhead.hpp"
#include "plan/site.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace espalier::plan {

namespace {

using schedule::Kind;

/// How many messages a node may have under way at once, beside one and all.
constexpr std::array<std::size_t, 3> several_ports{4, 16, 64};
/// The part of the budget in which candidates are made; in the rest they are simulated.
constexpr double part_for_making = 0.5;

bool is_capped(const Job& job, const simulate::Fabric& fabric) {
    for (std::size_t from = 0; from < fabric.nodes(); ++from)
        for (std::size_t to = 0; to < fabric.nodes(); ++to)
            if (job.places[from] != job.places[to] && fabric.draws(from, to).empty()) return false;
    return !fabric.capacities().empty();
}

bool has_clusters(const Site& site) {
    return std::ranges::any_of(site.members,
                               [](const Site& member) { return !member.members.empty(); });
}

/// One port, and where all that messages share is known, several: of what nobody measured, nothing
/// is known of how fast several messages at once are. Inside clusters trees gain nothing by
/// several: their segments come one after the other anyway.
std::vector<std::size_t> port_counts(const Job& job, const Request& request, const Site& site) {
    if (request.ports) return {*request.ports};
    std::vector<std::size_t> counts{1};
    if (!site.is_known()) return counts;
    const bool exchange = request.kind == Kind::alltoall;
    const bool of_blocks = schedule::has_blocks(request.kind) || exchange;
    if (!of_blocks && has_clusters(site)) return counts;
    if (!is_capped(job, *simulate::make_rank_fabric(*job.view, job.places))) return counts;
    const std::size_t all = job.places.size() - 1;
    for (const std::size_t count : several_ports)
        if (std::min(count, all) > counts.back()) counts.push_back(std::min(count, all));
    if (exchange && request.algorithm == "auto" && all > counts.back()) counts.push_back(all);
    return counts;
}

/// A rule of a paper that plans one tree for one message.
bool is_for_whole_messages(const Request& request) {
    if (const Algorithm* inside = find_algorithm(Family::local, request.algorithm);
        inside != nullptr && serves(*inside, request.kind))
        return !std::get<local::Strategy>(inside->make).segmented;
    const Algorithm* between = find_algorithm(Family::grid, request.algorithm);
    return between != nullptr && serves(*between, request.kind);
}

Request checked(const Job& job, Request request) {
    if (request.ports == std::size_t{0}) throw InputError("ports", "", "a node has at least one");
    const std::size_t ranks = job.places.size();
    if (schedule::has_root(request.kind) && request.root >= ranks)
        throw InputError("root", "", "no rank has this number");
    if (request.blocks && request.blocks->size() != ranks)
        throw InputError("blocks", "",
                         fmt::format("{} for {} ranks", request.blocks->size(), ranks));
    if (request.kind == Kind::barrier && request.bytes.value > 0)
        throw InputError("bytes", "", "a barrier has none");
    if (request.kind == Kind::alltoall && request.ports)
        request.ports = std::min(*request.ports, std::max<std::size_t>(ranks, 2) - 1);
    if (request.segmenting.mode == Segmenting::Mode::usual)
        request.segmenting.mode =
            is_for_whole_messages(request) ? Segmenting::Mode::none : Segmenting::Mode::automatic;
    // What is not combined, and what has no bytes, has no order.
    if (!schedule::combines(request.kind) || request.kind == Kind::barrier) request.ordered = false;
    return request;
}

/// Where one rank of each cluster sits.
std::vector<network::GridView::Place> coordinators(const Job& job, const Site& site) {
    std::vector<network::GridView::Place> places;
    for (const Site& member : site.members) places.push_back(job.places[member.ranks().front()]);
    return places;
}

/// The candidates that are left, and the plans of those that were simulated.
class Contest {
public:
    Contest(const Job& job, const Request& request, const Limits& budget)
        : job_(job),
          request_(checked(job, request)),
          site_(site_of(job)),
          counts_(port_counts(job, request_, site_)),
          meter_(budget) {
        const bool tree = request_.kind == Kind::broadcast || request_.kind == Kind::reduce;
        if (!site_.is_known() && !tree)
            throw InputError("network", "",
                             "the cost of messages inside every cluster has to be known");
    }

    Race run() {
        for (std::size_t c = 0; c < counts_.size(); ++c) make_candidates(c);
        if (candidates_.empty()) refuse();
        simulate_candidates();
        Race race;
        race.ranked = ranked();
        if (request_.bounded)
            for (Ranked& one : race.ranked) bound(one);
        race.considered = considered();
        return race;
    }

private:
    /// The job with so many ports, as planners see it.
    struct Side {
        std::unique_ptr<const simulate::Fabric> fabric;
        MessageOverhead overhead;
        composed::Problem problem;
        std::unique_ptr<Candidates> candidates;
    };
    struct Entry {
        Candidate candidate;
        std::optional<Ranked> plan;  ///< once it was simulated
        std::string outcome;         ///< why it was not

        [[nodiscard]] Seconds time() const { return plan ? plan->time : candidate.optimistic; }
    };

    void make_candidates(std::size_t count) {
        if (!candidates_.empty() && meter_.used() >= part_for_making) return;
        auto side = std::make_unique<Side>();
        side->fabric = fabric_of(job_);
        side->overhead = message_overhead(*side->fabric);
        const Seconds segment = segment_overhead(side->overhead, side->fabric->nodes());
        const double part = part_for_making / static_cast<double>(counts_.size() - count);
        side->problem = {
            &job_,         &request_,         &site_, side->fabric.get(), counts_[count],
            segment.value, meter_.share(part)};
        side->candidates = std::make_unique<Candidates>(side->problem, segment, side->overhead);
        for (Candidate& candidate : side->candidates->make())
            candidates_.push_back({std::move(candidate), std::nullopt, {}});
        meter_.spend(side->candidates->spent());
        sides_.push_back(std::move(side));
    }

    /// The one that seems to be over first is next. Candidates of an algorithm whose plans took
    /// longer than they seemed to are expected to do so again.
    void simulate_candidates() {
        std::vector<Entry*> waiting;
        for (Entry& entry : candidates_) waiting.push_back(&entry);
        std::map<std::string_view, double> slowdown;  // the least that was seen, by algorithm
        const auto expected = [&](const Entry* entry) {
            const auto seen = slowdown.find(entry->candidate.algorithm);
            return entry->candidate.optimistic.value * (seen == slowdown.end() ? 1 : seen->second);
        };
        while (!waiting.empty()) {
            const auto next = std::ranges::min_element(waiting, {}, expected);
            Entry& entry = **next;
            waiting.erase(next);
            if (!is_worth_simulating(entry)) continue;
            simulate(entry);
            const double seemed = entry.candidate.optimistic.value;
            const double times = seemed > 0 ? entry.plan->time.value / seemed : 1;
            const auto [seen, is_new] = slowdown.try_emplace(entry.candidate.algorithm, times);
            if (!is_new) seen->second = std::min(seen->second, times);
        }
    }

    /// Says why not.
    [[nodiscard]] bool is_worth_simulating(Entry& entry) {
        const Candidate& candidate = entry.candidate;
        if (least_) {
            const auto best = best_of_.find(candidate.algorithm);
            const Seconds limit =
                best == best_of_.end() ? *least_ * (1 + uncertainty) : best->second;
            if (candidate.optimistic >= limit && candidate.optimistic > *least_) {
                entry.outcome = "not simulated: it can't be faster";
                return false;
            }
        }
        if (meter_.work_left() < steps_of(candidate) || (least_ && meter_.over())) {
            entry.outcome = "not simulated: the budget was used up";
            return false;
        }
        return true;
    }

    void simulate(Entry& entry) {
        Candidate& candidate = entry.candidate;
        meter_.spend(steps_of(candidate));
        Ranked& plan = entry.plan.emplace();
        if (candidate.tree != nullptr) {
            plan = candidate.tree->finish(candidate.schedule);
        } else {
            plan.plan.timeline = simulate::simulate(candidate.schedule, *candidate.fabric);
            plan.plan.schedule = std::move(candidate.schedule);
        }
        plan.time =
            plan.plan.timeline.makespan + overhead_of(plan.plan.schedule, sides_.front()->overhead);
        least_ = std::min(least_.value_or(plan.time), plan.time);
        const auto [best, is_new] = best_of_.try_emplace(candidate.algorithm, plan.time);
        if (!is_new) best->second = std::min(best->second, plan.time);
    }

    /// Where messages share capacities, whenever one is over all others share anew.
    [[nodiscard]] static std::uint64_t steps_of(const Candidate& candidate) {
        constexpr std::uint64_t sharing = 600;
        const bool shares = !candidate.fabric->capacities().empty();
        return candidate.messages * (shares ? sharing : steps_a_queued_message);
    }

    /// The best of each algorithm, as far as it may be the best in truth.
    [[nodiscard]] std::vector<Ranked> ranked() {
        std::ranges::stable_sort(candidates_, [](const Entry& a, const Entry& b) {
            if (a.plan.has_value() != b.plan.has_value()) return a.plan.has_value();
            return a.time() < b.time();
        });
        std::vector<Ranked> plans;
        const Seconds longest = candidates_.front().time() * (1 + uncertainty);
        std::set<std::string> names;
        for (Entry& entry : candidates_) {
            if (!plans.empty() && (!entry.plan || entry.time() > longest)) break;
            if (!names.insert(entry.candidate.algorithm).second) continue;
            plans.push_back(entry.plan ? *entry.plan : unsimulated(entry.candidate));
        }
        return plans;
    }

    /// There is always a plan, however small the budget. One that is soon simulated is.
    [[nodiscard]] static Ranked unsimulated(const Candidate& candidate) {
        constexpr std::uint64_t soon = 1'000'000;
        if (candidate.tree != nullptr) return candidate.tree->finish(candidate.schedule);
        Ranked plan;
        if (steps_of(candidate) <= soon) {
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

    void bound(Ranked& ranked) const {
        Bounded bounded{.ports = counts_.back()};
        if (!site_.is_known())
            for (const Site& member : site_.members)
                bounded.inner.push_back(member.known_broadcast.value_or(Seconds(0)));
        for (const auto& side : sides_)
            bounded.found = std::max(bounded.found, side->candidates->found_bound());
        bound_plan(ranked.plan, *sides_.front()->fabric, bounded,
                   ranked.clusters || !site_.is_known());
        if (!ranked.clusters) return;
        ranked.clusters->lower_bound = ranked.plan.lower_bound;
        ranked.clusters->scope = ranked.plan.scope;
        ranked.clusters->optimal = ranked.plan.optimal;
        ranked.clusters->any_bound = ranked.plan.any_bound;
    }

    [[nodiscard]] std::vector<Considered> considered() const {
        std::vector<Considered> all;
        const Seconds least = candidates_.front().time();
        for (const Entry& entry : candidates_) {
            const Candidate& candidate = entry.candidate;
            Considered one{candidate.algorithm,  candidate.ports, candidate.segments,
                           candidate.optimistic, std::nullopt,    entry.outcome};
            if (entry.plan) {
                one.simulated = entry.time();
                const double more = least.value > 0 ? entry.time() / least - 1 : 0;
                one.outcome = all.empty() ? "the plan"
                                          : fmt::format("{:.1f}% longer than the plan", 100 * more);
            } else if (all.empty()) {
                one.outcome = "the plan, " + entry.outcome;
            }
            all.push_back(std::move(one));
        }
        for (const auto& side : sides_)
            for (const Considered& failure : side->candidates->failures()) all.push_back(failure);
        return all;
    }

    [[noreturn]] void refuse() const {
        const std::string_view kind = name_of(request_.kind);
        if (!sides_.front()->candidates->knows_algorithm())
            throw InputError(
                "algorithm", "",
                fmt::format("no algorithm for a {} is named '{}'", kind, request_.algorithm));
        for (const auto& side : sides_)
            if (const auto& refusal = side->candidates->refusal()) throw InputError(*refusal);
        std::string which = "of this size among these ranks";
        if (request_.ordered) which = "whose operator needs the order of ranks";
        if (request_.direct) which = "whose messages go straight to their targets";
        throw InputError(
            "algorithm", "",
            request_.algorithm == "auto"
                ? fmt::format("no algorithm plans a {} {}", kind, which)
                : fmt::format("'{}' does not plan a {} {}", request_.algorithm, kind, which));
    }

    const Job& job_;
    const Request request_;
    const Site site_;
    const std::vector<std::size_t> counts_;
    Meter meter_;
    std::vector<std::unique_ptr<Side>> sides_;
    std::vector<Entry> candidates_;
    std::optional<Seconds> least_;                         ///< of those simulated
    std::map<std::string, Seconds, std::less<>> best_of_;  ///< likewise, by algorithm
};

}  // namespace

std::unique_ptr<const simulate::Fabric> fabric_of(const Job& job) {
    const Site site = site_of(job);
    return simulate::make_rank_fabric(*job.view,
                                      site.is_known() ? job.places : coordinators(job, site));
}

Race race(const Job& job, const Request& request, const Limits& budget) {
    return Contest(job, request, budget).run();
}

}  // namespace espalier::plan
