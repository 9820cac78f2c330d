#include "plan/race.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"
#include "core/text.hpp"
#include "plan/algorithm.hpp"
#include "plan/candidates.hpp"
#include "plan/checked_request.hpp"
#include "plan/collective_bound.hpp"
#include "plan/overhead.hpp"
#include "plan/site.hpp"
#include "plan/trials.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace espalier::plan {

namespace {

using schedule::Kind;

constexpr double part_for_making = race_effort.part_for_making;

/// The places of one rank of each cluster.
std::vector<network::GridView::Place> coordinators(const Job& job, const Site& site) {
    std::vector<network::GridView::Place> places;
    for (const Site& member : site.members) places.push_back(job.places[member.ranks().front()]);
    return places;
}

/// What makes candidates in a race: an algorithm with so many ports, or all trees with so many.
struct Maker {
    Candidates* candidates;
    const Algorithm* algorithm;
    std::size_t ports;
    bool made = false;                 ///< a candidate, in any round
    std::optional<Limits> share = {};  ///< the last, if it was asked
    bool ran_short = false;            ///< of that, which found something better
    std::string failure = {};          ///< why it made none

    /// The steps that the algorithm takes however little it searches.
    [[nodiscard]] std::uint64_t least_work() const { return candidates->least_work(*algorithm); }
};

/// The budget is spent best-first. All get alike at first, as far as that suffices for what they
/// can't do without; then again and again whoever has the best plan, and could use more, gets half
/// of what is left.
class Contest {
public:
    Contest(const Job& job, const Request& request, const Limits& budget)
        : job_(job),
          request_(checked(job, request)),
          site_(site_of(job)),
          counts_(port_counts(job, request_, site_)),
          fabric_(fabric_of(job)),
          overhead_(message_overhead(*fabric_)),
          meter_(budget),
          trials_(overhead_, job.view->grid().uncertainty, meter_) {
        const bool tree = request_.kind == Kind::broadcast || request_.kind == Kind::reduce;
        if (!site_.is_known() && !tree)
            throw InputError("network", "",
                             "the cost of messages inside every cluster has to be known");
        for (const std::size_t ports : counts_) add_side(ports);
    }

    Race run() {
        const double all = static_cast<double>(makers_.size());
        const Limits each = meter_.share(part_for_making * part_for_making / all);
        for (Maker& maker : makers_)
            if (maker.least_work() <= each.most_steps()) make(maker, each);
        trials_.simulate(1 - part_for_making);
        for (;;) {
            const Limits share = meter_.share(part_for_making);
            Maker* maker = next(share);
            if (maker == nullptr) break;
            const auto before = trials_.best_of(number_of(*maker));
            make(*maker, share);
            trials_.simulate(1 - part_for_making);
            maker->ran_short = maker->ran_short && trials_.best_of(number_of(*maker)) != before;
        }
        if (trials_.empty()) refuse();
        // What was put off for the sake of other makers, as far as the budget goes.
        trials_.simulate(1);
        Race race = trials_.conclude();
        if (request_.bounded)
            for (Ranked& one : race.ranked) bound(one);
        for (const Maker& maker : makers_)
            if (!maker.made)
                race.considered.push_back({std::string(maker.algorithm->name), maker.ports, 1,
                                           std::nullopt, std::nullopt, maker.failure});
        race.ran_short = meter_.ran_short() || std::ranges::any_of(makers_, &Maker::ran_short);
        race.presumption = presumption(race.best());
        return race;
    }

private:
    /// The job with so many ports, as planners see it.
    struct Side {
        composed::Problem problem;
        Candidates candidates;

        Side(const composed::Problem& stated, const MessageOverhead& overhead, Meter& meter)
            : problem(stated), candidates(problem, overhead, meter) {}
    };
    void add_side(std::size_t ports) {
        const Seconds segment = segment_overhead(overhead_, fabric_->nodes());
        const composed::Problem problem{&job_,         &request_, &site_,
                                        fabric_.get(), ports,     segment.value};
        Candidates& candidates =
            sides_.emplace_back(std::make_unique<Side>(problem, overhead_, meter_))->candidates;
        for (const Algorithm* algorithm : candidates.makers())
            makers_.push_back({&candidates, algorithm, ports});
    }

    /// Of those that have not been asked, or might do better with twice the share that they had,
    /// the one with the best plan so far; nullptr: none.
    [[nodiscard]] Maker* next(const Limits& share) {
        Maker* next = nullptr;
        Seconds least(infinity);
        for (Maker& maker : makers_) {
            const auto best = trials_.best_of(number_of(maker));
            if (maker.share && !(maker.ran_short && is_twice(share, *maker.share))) continue;
            if (next != nullptr && best.value_or(Seconds(infinity)) >= least) continue;
            next = &maker;
            least = best.value_or(Seconds(infinity));
        }
        return next;
    }

    [[nodiscard]] static bool is_twice(const Limits& share, const Limits& other) {
        return share.work ? *share.work >= 2 * *other.work : share.time >= other.time * 2;
    }

    void make(Maker& maker, const Limits& limits) {
        const std::uint64_t least = maker.least_work();
        maker.share = limits;
        if (!trials_.empty() && (meter_.over() || least > meter_.work_left() / 2)) {
            maker.failure = "not tried: the budget was used up";
            return;
        }
        const std::uint64_t before = meter_.spent();
        Meter own(limits);
        maker.failure = "no plan: it makes no plan for this request";
        try {
            for (Candidate& candidate : maker.candidates->make(*maker.algorithm, own)) {
                maker.made = true;
                trials_.add(std::move(candidate), number_of(maker));
            }
        } catch (const InputError& error) {
            // What one algorithm can't plan for want of a cost, another may.
            if (request_.algorithm != "auto") throw;
            maker.failure = fmt::format("no plan: {}", error.what());
            if (!refusal_) refusal_ = error;
        }
        maker.ran_short = own.ran_short();
        meter_.spend(own.spent());
        const std::uint64_t counted = meter_.spent() - before;
        meter_.spend(std::max(least, counted) - counted);
    }

    [[nodiscard]] std::size_t number_of(const Maker& maker) const {
        return static_cast<std::size_t>(&maker - makers_.data());
    }

    void bound(Ranked& ranked) const {
        Bounded bounded{.ports = counts_.back()};
        if (!site_.is_known())
            for (const Site& member : site_.members)
                bounded.inner.push_back(member.known_broadcast.value_or(Seconds(0)));
        for (const auto& side : sides_)
            bounded.found = std::max(bounded.found, side->candidates.found_bound());
        bound_plan(ranked.plan, *fabric_, bounded, ranked.clusters || !site_.is_known());
        if (!ranked.clusters) return;
        ranked.clusters->lower_bound = ranked.plan.lower_bound;
        ranked.clusters->scope = ranked.plan.scope;
        ranked.clusters->optimal = ranked.plan.optimal;
        ranked.clusters->any_bound = ranked.plan.any_bound;
    }

    [[nodiscard]] std::optional<Presumption> presumption(const Ranked& best) const {
        const auto capacities = fabric_->capacities();
        if (!best.simulated || std::ranges::none_of(capacities, &simulate::Capacity::presumed))
            return std::nullopt;
        const schedule::Schedule& schedule = best.plan.schedule;
        const auto separate =
            simulate::make_rank_fabric(*job_.view, job_.places, network::Unstated::separate);
        Presumption found;
        found.otherwise = simulate::simulate(schedule, *separate).makespan;
        if (found.otherwise == best.plan.timeline.makespan) return std::nullopt;
        std::vector<std::set<std::pair<std::size_t, std::size_t>>> users(capacities.size());
        for (const schedule::Transfer& transfer : schedule.transfers)
            for (const std::uint32_t c : fabric_->draws(transfer.from, transfer.to))
                users[c].emplace(transfer.from, transfer.to);
        for (std::size_t c = 0; c < capacities.size(); ++c)
            if (capacities[c].presumed && users[c].size() > 1)
                found.capacities.push_back(capacities[c].name);
        // Times may differ by how single messages share, too, of which there is nothing to tell.
        if (found.capacities.empty()) return std::nullopt;
        return found;
    }

    [[noreturn]] void refuse() const {
        const std::string_view kind = name_of(request_.kind);
        if (!sides_.front()->candidates.knows_algorithm())
            throw InputError(
                "algorithm", "",
                fmt::format("no algorithm for a {} is named '{}'", kind, request_.algorithm));
        if (refusal_) throw InputError(*refusal_);
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
    const std::unique_ptr<const simulate::Fabric> fabric_;
    const MessageOverhead overhead_;
    Meter meter_;
    std::vector<std::unique_ptr<Side>> sides_;
    std::vector<Maker> makers_;
    Trials trials_;
    std::optional<InputError> refusal_;  ///< why the first that could not plan could not
};

}  // namespace

std::unique_ptr<const simulate::Fabric> fabric_of(const Job& job) {
    const Site site = site_of(job);
    return simulate::make_rank_fabric(*job.view,
                                      site.is_known() ? job.places : coordinators(job, site));
}

Race race(const Job& job, const Request& request, const std::optional<Limits>& budget) {
    return Contest(job, request, budget.value_or(standard_budget(job.places.size()))).run();
}

}  // namespace espalier::plan
