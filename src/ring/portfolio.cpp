#include "ring/portfolio.hpp"

#include "ring/allocation.hpp"
#include "ring/annealing.hpp"
#include "ring/greedy.hpp"
#include "ring/local_search.hpp"
#include "ring/nearness.hpp"
#include "ring/optimal.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace espalier::ring {
namespace {

constexpr std::size_t few_hosts = 9;  // whose rings take well under a second

/// Where only time is limited, as much work as takes less than that on most machines: so the
/// clock, of which no two runs are alike, hardly ever decides.
Limits with_work(Limits limits) {
    constexpr double steps_per_second = 7e8;
    if (!limits.work && limits.time.value < 1e9)
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

void Portfolio::tour() {
    constexpr std::size_t centres = 12;
    const std::size_t hosts = problem_.platform.hosts();
    const Matrix<double> distance = distances(problem_);
    const std::vector<Host> all = tour_by_nearness(problem_, distance);
    std::vector<Host> fast = all;
    std::ranges::stable_sort(fast, {},
                             [&](Host host) { return problem_.platform.cycle_time(host); });
    Pricer pricer(problem_, pool_);
    double least = std::numeric_limits<double>::infinity();
    std::vector<Host> order;
    for (std::size_t rank = 0; rank < std::min(centres, hosts); ++rank) {
        const auto row = distance.row(fast[rank]);
        std::vector<double> nearest(row.begin(), row.end());
        std::ranges::sort(nearest);
        // A fifth less each time, down to few hosts: step times change slowly with the size.
        for (std::size_t size = hosts; size >= 2 && meter_.used() < 0.1; size -= (size + 4) / 5) {
            if (size == hosts && rank > 0) continue;
            order.clear();
            for (const Host host : all)
                if (row[host] <= nearest[size - 1]) order.push_back(host);
            const PooledRing tried = pooled(pool_, embed(problem_, order));
            Prices prices = pricer.no_prices();
            const auto estimate = pricer.price(tried, prices, {.rounds = 30, .precision = 1e-3});
            meter_.spend(pricer.take_steps());
            elite_.offer(estimate.step_time, tried, prices);
            if (estimate.step_time >= least) continue;
            least = estimate.step_time;
            toured_ = tried;
        }
    }
    if (toured_.size() > 0) add_exact(unpooled(pool_, toured_));
}

void Portfolio::grow() {
    Settings settings = settings_;
    if (settings.paths == PathChoice::all) settings.paths = PathChoice::widest;
    std::vector<Refine> refinements{nullptr, by_max_min, by_optimum};
    if (settings_.refine != nullptr) refinements.push_back(settings_.refine);
    for (const Refine refine : refinements) {
        const double used = meter_.used();
        if (used >= 1) break;
        settings.refine = refine;
        constexpr double part = 0.25;
        settings.limits = meter_.share(part);
        const Found found = greedy(problem_, settings);
        add(found.solution);
        add_exact(found.solution.embedding);
        if (meter_.used() - used >= part * (1 - used)) break;
    }
}

void Portfolio::descend_from_best() {
    RingWalk walk(problem_, pool_, pooled(pool_, best_.embedding));
    descend(walk, elite_, meter_);
}

void Portfolio::anneal() {
    const PooledRing known_ring = pooled(pool_, best_.embedding);
    const PooledRing lone_host{{fastest(problem_.platform)}, {}};
    RingWalk walk(problem_, pool_, known_ring);
    enum class Start { known, tour, alone, best };
    struct Round {
        Start start;
        double temperature;  // low where the known ring is to be hardly left
        double part;
    };
    constexpr std::array<Round, 6> rounds{{{Start::known, 0.01, 0.15},
                                           {Start::alone, 0.05, 0.15},
                                           {Start::tour, 0.05, 0.15},
                                           {Start::alone, 0.05, 0.15},
                                           {Start::best, 0.01, 0.2},
                                           {Start::best, 0.003, 0.2}}};
    const auto go_to = [&](Start start) {
        if (start == Start::best && !elite_.members().empty()) {
            const Elite::Member best = elite_.members().front();
            walk.adopt(best.ring, best.prices);
        } else {
            const bool tour = start == Start::tour && toured_.size() > 0;
            walk.adopt(start == Start::alone ? lone_host
                       : tour                ? toured_
                                             : known_ring,
                       walk.prices());
        }
    };
    double left = 1.05;  // some is for the last descent
    for (const Round& round : rounds) {
        if (meter_.over()) return;
        go_to(round.start);
        ring::anneal(walk, elite_, {.first = round.temperature, .last = 1e-4}, random_, meter_,
                     meter_.share(round.part / left));
        left -= round.part;
    }
    go_to(Start::best);
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
    portfolio.tour();
    portfolio.grow();
    portfolio.descend_from_best();
    portfolio.anneal();
    return portfolio.result();
}

Found annealing(const Problem& problem, const Settings& settings) {
    Portfolio portfolio(problem, settings);
    portfolio.tour();
    portfolio.anneal();
    return portfolio.result();
}

}  // namespace espalier::ring
