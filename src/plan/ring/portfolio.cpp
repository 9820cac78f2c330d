#include "plan/ring/portfolio.hpp"

#include "plan/ring/allocation.hpp"
#include "plan/ring/annealing.hpp"
#include "plan/ring/greedy.hpp"
#include "plan/ring/local_search.hpp"
#include "plan/ring/optimal.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace espalier::plan::ring {
namespace {

constexpr std::size_t few_hosts = 7;

/// Where only time is limited, as much work as takes less than that on most machines: so the
/// clock, of which no two runs are alike, hardly ever decides.
Limits with_work(Limits limits) {
    constexpr double steps_per_second = 7e8;
    if (limits.work == std::numeric_limits<std::uint64_t>::max() && limits.time.value < 1e9)
        limits.work =
            static_cast<std::uint64_t>(std::max(limits.time.value, 0.0) * steps_per_second) + 1;
    return limits;
}

std::optional<Rates> by_max_min(const Problem& problem, const Embedding& embedding, const Rates&) {
    return max_min_rates(problem, embedding);
}

std::optional<Rates> by_optimum(const Problem& problem, const Embedding& embedding,
                                const Rates& start) {
    return optimal_rates(problem, embedding, 1e-6, &start).rates;
}

Host fastest(const Platform& platform) {
    Host best = 0;
    for (Host host = 1; host < platform.hosts(); ++host)
        if (platform.cycle_time(host) < platform.cycle_time(best)) best = host;
    return best;
}

}  // namespace

Portfolio::Portfolio(const Problem& problem, const Settings& settings)
    : problem_(problem),
      settings_(settings),
      meter_(with_work(settings.limits)),
      random_(settings.seed),
      pool_(problem, settings.paths == PathChoice::shortest),
      elite_(8) {
    const Embedding alone{{fastest(problem.platform)}, {}, {}};
    best_ = {alone, {}, divide_work(problem, alone, {})};
}

void Portfolio::add(const Solution& solution) {
    if (solution.division.step_time < best_.division.step_time) best_ = solution;
}

void Portfolio::add_exact(const Embedding& embedding) {
    if (embedding.size() < 2) return;
    Optimum optimum = optimal_rates(problem_, embedding);
    add({embedding, std::move(optimum.rates), std::move(optimum.division)});
}

void Portfolio::enumerate() {
    if (problem_.platform.hosts() > few_hosts) return;
    Settings settings = settings_;
    if (settings.paths == PathChoice::all) settings.paths = PathChoice::widest;
    settings.limits = meter_.share(0.5);
    const Found found = optimal(problem_, settings);
    add(found.solution);
    proven_ = found.optimal && settings_.paths != PathChoice::all;
    lower_bound_ = found.lower_bound;
}

void Portfolio::grow() {
    Settings settings = settings_;
    if (settings.paths == PathChoice::all) settings.paths = PathChoice::widest;
    std::vector<Refine> refinements{nullptr, by_max_min, by_optimum};
    if (settings_.refine != nullptr) refinements.push_back(settings_.refine);
    for (const Refine refine : refinements) {
        if (meter_.over()) break;
        settings.refine = refine;
        settings.limits = meter_.share(0.25);
        const Found found = greedy(problem_, settings);
        add(found.solution);
        add_exact(found.solution.embedding);
    }
}

void Portfolio::descend_from_best() {
    RingWalk walk(problem_, pool_, pooled(pool_, best_.embedding));
    descend(walk, elite_, meter_);
}

void Portfolio::anneal(double part) {
    constexpr int starts = 4;
    constexpr double part_of_starts = 0.6;
    const Meter all(meter_.share(part));
    const PooledRing known = pooled(pool_, best_.embedding);
    RingWalk walk(problem_, pool_, known);
    const Prices prices = walk.prices();
    const PooledRing alone{{fastest(problem_.platform)}, {}};
    for (int start = 0; start < starts && !meter_.over(); ++start) {
        // The known ring is hardly left; from a single host the search goes where it will.
        walk.adopt(start == 0 ? known : alone, prices);
        const Cooling cooling{.first = start == 0 ? 0.01 : 0.05, .last = 3e-4};
        ring::anneal(walk, elite_, cooling, random_, meter_, all.share(part_of_starts / starts));
    }
    const auto return_to_best = [&] {
        if (elite_.members().empty()) return;
        const Elite::Member best = elite_.members().front();
        walk.adopt(best.ring, best.prices);
    };
    for (const double first : {0.01, 0.003}) {
        if (meter_.over()) return;
        return_to_best();
        ring::anneal(walk, elite_, {.first = first, .last = 1e-4}, random_, meter_,
                     all.share((1 - part_of_starts) / 2));
    }
    return_to_best();
    descend(walk, elite_, meter_);
}

Found Portfolio::result() {
    for (const Elite::Member& member : elite_.members()) {
        // Estimates are feasible: only what is near the best can still be better than it.
        if (member.step_time > best_.division.step_time * 1.05) break;
        add_exact(unpooled(pool_, member.ring));
        if (meter_.over()) break;
    }
    return {best_, proven_, lower_bound_};
}

Found automatic(const Problem& problem, const Settings& settings) {
    Portfolio portfolio(problem, settings);
    portfolio.enumerate();
    portfolio.grow();
    portfolio.descend_from_best();
    portfolio.anneal(0.95);
    return portfolio.result();
}

Found annealing(const Problem& problem, const Settings& settings) {
    Portfolio portfolio(problem, settings);
    portfolio.anneal(0.95);
    return portfolio.result();
}

}  // namespace espalier::plan::ring
