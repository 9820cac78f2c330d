#include "plan/race.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"
#include "core/text.hpp"
#include "plan/algorithm.hpp"
#include "plan/candidates.hpp"
#include "plan/checked_request.hpp"
#include "plan/collective_bound.hpp"
#include "plan/overhead.hpp"
#include "plan/scenarios.hpp"
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

/// What makes candidates in a race: an algorithm with so many ports, or all trees with so many.
struct Maker {
    Candidates* candidates;
    const Algorithm* algorithm;
    std::size_t ports;
    std::string costs;                 ///< that it sees; empty: the stated ones
    bool made = false;                 ///< a candidate, in any round
    std::optional<Limits> share = {};  ///< the last, if it was asked
    bool ran_short = false;            ///< of that, which found something better
    std::string failure = {};          ///< why it made none

    /// The steps that the algorithm takes however little it searches.
    [[nodiscard]] std::uint64_t least_work() const { return candidates->least_work(*algorithm); }
};

/// A job with other costs than are stated. Where they are higher the more they vary, plans for it
/// rely little on what varies much.
struct OtherCosts {
    std::string name;
    network::GridNetwork grid;
    network::GridView view;
    Job job;
    Site site;
    std::unique_ptr<const simulate::Fabric> fabric;

    OtherCosts(std::string what, network::GridNetwork costs, const Job& stated)
        : name(std::move(what)),
          grid(std::move(costs)),
          view(grid),
          job{&view, stated.places},
          site(site_of(job)),
          fabric(fabric_of(job)) {}
    OtherCosts(const OtherCosts&) = delete;
    OtherCosts& operator=(const OtherCosts&) = delete;
    ~OtherCosts() = default;
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
          scenarios_(scenarios()),
          trials_(overhead_, job.view->grid().uncertainty, scenarios_.get(), meter_) {
        const bool tree = request_.kind == Kind::broadcast || request_.kind == Kind::reduce;
        if (!site_.is_known() && !tree)
            throw InputError("network", "",
                             "the cost of messages inside every cluster has to be known");
        if (scenarios_ && site_.is_known()) add_costs();
        for (const std::size_t ports : counts_) add_sides(ports);
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
        if (request_.bounded) bound(race.ranked);
        for (const Maker& maker : makers_)
            if (!maker.made)
                race.considered.push_back({std::string(maker.algorithm->name), maker.ports, 1,
                                           std::nullopt, std::nullopt, maker.failure, std::nullopt,
                                           maker.costs});
        race.ran_short = meter_.ran_short() || std::ranges::any_of(makers_, &Maker::ran_short);
        race.presumption = presumption(race.best());
        return race;
    }

private:
    /// The job with so many ports, as it is stated and as planners see it.
    struct Side {
        composed::Problem stated;
        composed::Problem seen;
        Candidates candidates;

        Side(const composed::Problem& problem, const OtherCosts* costs,
             const MessageOverhead& overhead, Meter& meter)
            : stated(problem),
              seen(costs == nullptr
                       ? problem
                       : composed::Problem{&costs->job, problem.request, &costs->site,
                                           costs->fabric.get(), problem.ports, problem.overhead}),
              candidates(stated, seen, costs == nullptr ? "" : costs->name, overhead, meter) {}
    };
    void add_sides(std::size_t ports) {
        const Seconds segment = segment_overhead(overhead_, fabric_->nodes());
        const composed::Problem problem{&job_,         &request_, &site_,
                                        fabric_.get(), ports,     segment.value};
        const auto add = [&](const OtherCosts* costs) {
            Candidates& candidates =
                sides_.emplace_back(std::make_unique<Side>(problem, costs, overhead_, meter_))
                    ->candidates;
            for (const Algorithm* algorithm : candidates.makers())
                makers_.push_back(
                    {&candidates, algorithm, ports, costs == nullptr ? "" : costs->name});
        };
        add(nullptr);
        for (const auto& costs : costs_) add(costs.get());
    }

    /// A percentile of the makespan may be ruled by a few messages, or by sums of many.
    void add_costs() {
        const unsigned percentile = scenarios_->percentile();
        const network::GridNetwork& grid = job_.view->grid();
        costs_.push_back(
            std::make_unique<const OtherCosts>("mean costs", network::at_mean(grid), job_));
        if (percentile > schedule::least_percentile)
            costs_.push_back(
                std::make_unique<const OtherCosts>(fmt::format("costs at p{}", percentile),
                                                   network::at_percentile(grid, percentile), job_));
    }

    [[nodiscard]] std::unique_ptr<const Scenarios> scenarios() {
        if (!request_.robust) return nullptr;
        meter_.spend(Scenarios::steps(job_));
        return std::make_unique<const Scenarios>(job_, *request_.robust);
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

    void bound(std::vector<Ranked>& all) const {
        Bounded bounded{.ports = counts_.back()};
        if (!site_.is_known())
            for (const Site& member : site_.members)
                bounded.inner.push_back(member.known_broadcast.value_or(Seconds(0)));
        for (const auto& side : sides_)
            bounded.found = std::max(bounded.found, side->candidates.found_bound());
        CollectiveBounds bounds(*fabric_, bounded);
        for (Ranked& ranked : all) bound(ranked, bounded, bounds);
    }

    void bound(Ranked& ranked, const Bounded& bounded, CollectiveBounds& bounds) const {
        bounds.fill_in(ranked.plan, ranked.clusters || !site_.is_known());
        if (auto& robust = ranked.plan.robust)
            robust->lower_bound =
                std::min(robust->makespan, scenarios_->bound([&](const simulate::Fabric& fabric) {
                    return scenario_bound(ranked.plan, fabric, bounded);
                }));
        if (!ranked.clusters) return;
        ranked.clusters->robust = ranked.plan.robust;
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
                fmt::format("no {} algorithm is named '{}'", kind, request_.algorithm));
        if (refusal_) throw InputError(*refusal_);
        std::string which = "of this size among these ranks";
        if (request_.ordered) which = "whose operator needs the order of ranks";
        if (request_.direct) which = "whose messages go straight to their targets";
        throw InputError("algorithm", "",
                         request_.algorithm == "auto"
                             ? fmt::format("no algorithm plans any {} {}", kind, which)
                             : fmt::format("'{}' plans no {} {}", request_.algorithm, kind, which));
    }

    const Job& job_;
    const Request request_;
    const Site site_;
    const std::vector<std::size_t> counts_;
    const std::unique_ptr<const simulate::Fabric> fabric_;
    const MessageOverhead overhead_;
    Meter meter_;
    const std::unique_ptr<const Scenarios> scenarios_;
    std::vector<std::unique_ptr<const OtherCosts>> costs_;
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
    return Contest(job, request,
                   budget.value_or(standard_budget(job.places.size(), request.robust.has_value())))
        .run();
}

}  // namespace espalier::plan
