#include "ring/portfolio.hpp"

#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "core/random.hpp"
#include "ring/allocation.hpp"
#include "ring/annealing.hpp"
#include "ring/greedy.hpp"
#include "ring/optimal.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace espalier::ring {
namespace {

constexpr std::size_t few_hosts = 9;  // whose rings take well under a second

/// Adds a limit of work if only time is limited: as much as takes less than that time on most
/// machines. So the clock, of which no two runs are alike, hardly ever decides.
Limits with_work(Limits limits) {
    constexpr double steps_per_second = 7e8;
    if (!limits.work && limits.time.value < 1e9)
        limits.work =
            static_cast<std::uint64_t>(std::max(limits.time.value, 0.0) * steps_per_second) + 1;
    return limits;
}

/// All hosts in an order in which each is followed by the nearest one that is left, from the
/// fastest host on. On a tree, this goes through one branch after the other.
std::vector<Host> tour_by_nearness(const Problem& problem, const Matrix<double>& distances) {
    std::vector<Host> tour(problem.platform.hosts());
    std::iota(tour.begin(), tour.end(), Host{0});
    std::swap(tour.front(), tour[problem.platform.fastest()]);
    for (auto next = tour.begin() + 1; next != tour.end(); ++next)
        std::iter_swap(next, std::min_element(next, tour.end(), [&](Host a, Host b) {
                           const auto row = distances.row(*(next - 1));
                           return std::pair(row[a], a) < std::pair(row[b], b);
                       }));
    return tour;
}

/// The state that searches for rings share: limits, known paths, the best rings so far, and in the
/// end the best bandwidths of each of them.
class Portfolio {
public:
    Portfolio(const Problem& problem, const Settings& settings)
        : problem_(problem),
          settings_(settings),
          meter_(with_work(settings.limits)),
          random_(settings.seed),
          moves_(problem, random_),
          pool_(problem, settings.paths == PathChoice::shortest) {
        const Embedding alone{{problem.platform.fastest()}, {}, {}};
        best_ = {alone, {}, divide_work(problem, alone, {})};
    }

    /// Adds the best of all rings along the problem's routes, if there are few hosts.
    void enumerate() {
        if (problem_.platform.hosts() > few_hosts) return;
        Settings settings = settings_;
        if (settings.paths == PathChoice::all) settings.paths = PathChoice::widest;
        settings.limits = meter_.share(0.5);
        const Found found = optimal(problem_, settings);
        add(found.solution);
        proven_ = found.optimal && settings_.paths != PathChoice::all;
    }

    /// Adds rings of the hosts nearest to a fast one, more of them or less, in the order of a tour
    /// through all.
    void tour() {
        constexpr std::size_t centres = 12;
        const std::size_t hosts = problem_.platform.hosts();
        const Matrix<double> distance = distances(problem_);
        const std::vector<Host> all = tour_by_nearness(problem_, distance);
        std::vector<Host> fast = all;
        std::ranges::stable_sort(fast, {},
                                 [&](Host host) { return problem_.platform.cycle_time(host); });
        Pricer pricer(problem_, pool_);
        double least = infinity;
        std::vector<Host> order;
        for (std::size_t rank = 0; rank < std::min(centres, hosts); ++rank) {
            const auto row = distance.row(fast[rank]);
            std::vector<double> nearest(row.begin(), row.end());
            std::ranges::sort(nearest);
            // A fifth less each time, down to few hosts: step times change slowly with the size.
            for (std::size_t size = hosts; size >= 2 && meter_.used() < 0.1;
                 size -= (size + 4) / 5) {
                if (size == hosts && rank > 0) continue;
                order.clear();
                for (const Host host : all)
                    if (row[host] <= nearest[size - 1]) order.push_back(host);
                const PooledRing tried = pooled(pool_, embed(problem_, order));
                Prices prices = pricer.no_prices();
                const auto estimate =
                    pricer.price(tried, prices, {.rounds = 30, .precision = 1e-3});
                meter_.spend(pricer.take_steps());
                elite_.offer({estimate.step_time, tried, prices});
                if (estimate.step_time >= least) continue;
                least = estimate.step_time;
                toured_ = tried;
            }
        }
        if (toured_.size() > 0) add_exact(unpooled(pool_, toured_));
    }

    /// Adds the greedy rings: as they grow, and with each refinement; a part of the time each, and
    /// no more of them once one has not had the time to end.
    void grow() {
        Settings settings = settings_;
        if (settings.paths == PathChoice::all) settings.paths = PathChoice::widest;
        for (const auto& [name, refinement] : refinements) {
            const double used = meter_.used();
            if (used >= 1) break;
            settings.refinement = refinement;
            constexpr double part = 0.25;
            settings.limits = meter_.share(part);
            const Found found = greedy(problem_, settings);
            add(found.solution);
            add_exact(found.solution.embedding);
            if (meter_.used() - used >= part * (1 - used)) break;
        }
    }

    /// Goes on from the best ring until no change helps.
    void descend_from_best() {
        RingWalk walk(problem_, pool_, pooled(pool_, best_.embedding));
        descend(walk);
    }

    /// Anneals from several rings, then again from the best, until the limits are used up.
    void anneal() {
        RingWalk walk(problem_, pool_, pooled(pool_, best_.embedding));
        const PooledRing known = walk.ring();
        const PooledRing alone{{problem_.platform.fastest()}, {}};
        const PooledRing& toured = toured_.size() > 0 ? toured_ : known;
        struct Round {
            const PooledRing* start;  // none: the best so far
            double temperature;       // low where that is to be hardly left
            double part;
        };
        const std::array<Round, 6> rounds{{{&known, 0.01, 0.15},
                                           {&alone, 0.05, 0.15},
                                           {&toured, 0.05, 0.15},
                                           {&alone, 0.05, 0.15},
                                           {nullptr, 0.01, 0.2},
                                           {nullptr, 0.003, 0.2}}};
        const auto go_to_best = [&] {
            const PricedRing best = elite_.members().front();
            walk.adopt(best.ring, best.prices);
        };
        double left = 1.05;  // some is for the last descent
        for (const Round& round : rounds) {
            if (meter_.over()) return;
            if (round.start == nullptr)
                go_to_best();
            else
                walk.adopt(*round.start, walk.prices());
            ring::anneal(walk, elite_, {.first = round.temperature, .last = 1e-4}, moves_, random_,
                         meter_, meter_.share(round.part / left));
            left -= round.part;
        }
        go_to_best();
        descend(walk);
    }

    /// The best so far.
    [[nodiscard]] Found result() {
        for (const PricedRing& member : elite_.members()) {
            // Estimates are feasible: only what is near the best can still be better than it.
            if (member.step_time > best_.division.step_time * 1.05) break;
            add_exact(unpooled(pool_, member.ring));
            if (meter_.over()) break;
        }
        return {best_, proven_};
    }

private:
    void add(const Solution& solution) {
        if (solution.division.step_time < best_.division.step_time) best_ = solution;
    }

    void add_exact(const Embedding& embedding) {
        if (embedding.size() < 2) return;
        Optimum optimum = optimal_rates(problem_, embedding);
        add({embedding, std::move(optimum.rates), std::move(optimum.division)});
    }

    void descend(RingWalk& walk) {
        constexpr double most = 0.5;
        ring::anneal(walk, elite_, {}, moves_, random_, meter_, meter_.share(most));
    }

    const Problem& problem_;
    Settings settings_;
    Meter meter_;
    Random random_;
    Moves moves_;
    PathPool pool_;
    Elite<PricedRing> elite_{8};
    PooledRing toured_;  ///< the best of tours
    Solution best_;
    bool proven_ = false;
};

}  // namespace

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

Found local_search(const Problem& problem, const Settings& settings) {
    Portfolio portfolio(problem, settings);
    portfolio.grow();
    portfolio.descend_from_best();
    return portfolio.result();
}

}  // namespace espalier::ring
