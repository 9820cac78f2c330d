// Local search, annealing and the portfolio: what they hand out is checked link by link, against
// greedy rings and against the best of all; what guides them, against exact bandwidths.
#include "core/infinity.hpp"
#include "ring/allocation.hpp"
#include "ring/annealing.hpp"
#include "ring/greedy.hpp"
#include "ring/optimal.hpp"
#include "ring/portfolio.hpp"
#include "ring/routes.hpp"

#include "ring/wandering_routes.hpp"
#include "support/random_platforms.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier::ring {
namespace {

using ::testing::ElementsAreArray;

Settings within(std::uint64_t work, PathChoice paths = PathChoice::widest) {
    Settings settings;
    settings.paths = paths;
    settings.limits = {Seconds(1000), work};
    return settings;
}

test::PlatformRange range_of(Random& random, std::size_t hosts) {
    return test::varied_range(random, hosts, 8, 0.02);
}

std::vector<Host> random_order(Random& random, std::size_t hosts, std::size_t size) {
    std::vector<Host> order(hosts);
    std::iota(order.begin(), order.end(), Host{0});
    for (std::size_t place = 0; place < size; ++place)
        std::swap(order[place], order[place + random.below(hosts - place)]);
    order.resize(size);
    return order;
}

void expect_leads(const Platform& platform, const Path& path, Host from, Host to) {
    Vertex at = platform.vertex_of(from);
    for (const LinkId link : path) {
        const auto arcs = platform.leaving(at);
        const auto arc = std::ranges::find(arcs, link, &Platform::Arc::link);
        ASSERT_NE(arc, arcs.end());
        at = arc->to;
    }
    EXPECT_EQ(at, platform.vertex_of(to));
}

/// Each host once, paths from neighbour to neighbour, no link over its bandwidth, and a step as
/// long as its slowest host takes.
void expect_sound(const Problem& problem, const Solution& solution) {
    const auto& [order, to_successor, to_predecessor] = solution.embedding;
    std::vector<Host> sorted = order;
    std::ranges::sort(sorted);
    EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
    std::vector<double> load(problem.platform.links(), 0);
    std::vector<double> times(order.size(), 0);
    const auto cross = [&](Host from, Host to, const Path& path, double rate) {
        if (problem.platform.has_routes()) {
            EXPECT_EQ(path, problem.platform.routes()(from, to));
        } else {
            expect_leads(problem.platform, path, from, to);
        }
        EXPECT_LE(rate, problem.width(path) * (1 + 1e-9));
        double time = problem.platform.startup(from) + problem.platform.startup(to);
        for (const LinkId link : path) {
            load[link] += rate;
            time += problem.platform.link(link).latency;
        }
        return time + problem.exchange / rate;
    };
    for (std::size_t place = 0; place < order.size() && order.size() > 1; ++place) {
        const Host next = order[(place + 1) % order.size()];
        const Host last = order[(place + order.size() - 1) % order.size()];
        times[place] =
            cross(order[place], next, to_successor[place], solution.rates.to_successor[place]) +
            cross(order[place], last, to_predecessor[place], solution.rates.to_predecessor[place]);
    }
    for (LinkId link = 0; link < load.size(); ++link) {
        if (!problem.platform.link(link).shared) continue;
        EXPECT_LE(load[link], problem.platform.link(link).bandwidth * (1 + 1e-9));
    }
    double step_time = 0;
    double sum = 0;
    for (std::size_t place = 0; place < order.size(); ++place) {
        const double share = solution.division.shares[place];
        EXPECT_GE(share, 0);
        sum += share;
        step_time =
            std::max(step_time, times[place] + share * problem.work *
                                                   problem.platform.cycle_time(order[place]));
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_NEAR(solution.division.step_time, step_time, 1e-9 * step_time);
}

TEST(RingPrices, bracket_the_step_with_the_best_bandwidths) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Platform platform(test::random_platform(random, range_of(random, 8)));
        const RouteTable routes = widest_routes(platform);
        for (const double exchange : {0.03, 0.3, 3.0}) {
            const Problem problem{platform, routes, 1, exchange};
            const Embedding ring = embed(problem, random_order(random, 8, 2 + random.below(7)));
            const double exact = optimal_rates(problem, ring).division.step_time;
            PathPool pool(problem, false);
            Pricer pricer(problem, pool);
            Prices prices = pricer.no_prices();
            const PooledRing priced = pooled(pool, ring);
            const auto estimate = pricer.price(priced, prices, {.rounds = 3000, .precision = 1e-4});
            EXPECT_LE(estimate.at_least, exact * (1 + 1e-9));
            EXPECT_GE(estimate.step_time, exact * (1 - 1e-9));
            EXPECT_LE(estimate.step_time, exact * 1.01);
        }
    }
}

TEST(RingPrices, stay_numbers_where_a_walk_hardly_computes) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Platform platform(test::random_platform(random, range_of(random, 10)));
        const RouteTable routes = widest_routes(platform);
        const Problem problem{platform, routes, 1, 3};
        PathPool pool(problem, false);
        Pricer pricer(problem, pool);
        Prices prices = pricer.no_prices();
        for (int ring = 0; ring < 3000; ++ring) {
            const Embedding next = embed(problem, random_order(random, 10, 3 + random.below(8)));
            pricer.price(pooled(pool, next), prices, {.rounds = 9, .precision = 2e-3});
        }
        for (const double speed : prices.speeds) EXPECT_TRUE(std::isfinite(speed));
        for (const double price : prices.links) EXPECT_TRUE(std::isfinite(price));
    }
}

/// The same change, as one would make it by hand.
std::vector<Host> changed(std::vector<Host> order, int kind, std::size_t first, std::size_t second,
                          const std::vector<Host>& chain) {
    const auto at = [&](std::size_t place) {
        return order.begin() + static_cast<std::ptrdiff_t>(place);
    };
    if (kind == 0) {
        order.insert(at(first + 1), chain.begin(), chain.end());
    } else if (kind == 1) {
        order.erase(at(first), at(second));
    } else if (kind == 2) {
        order[first] = chain.front();
    } else if (kind == 3) {
        std::reverse(at(first + 1), at(second + 1));
    } else if (kind == 4) {
        std::swap(order[first], order[second]);
    } else {
        std::rotate(at(first), at(first + 1), at(second + 1));
    }
    return order;
}

TEST(RingWalk, makes_the_change_and_knows_a_step_that_it_cannot_beat) {
    constexpr double anything = infinity;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Platform platform(test::random_platform(random, range_of(random, 10)));
        const RouteTable routes = widest_routes(platform);
        const Problem problem{platform, routes, 1, 0.2};
        PathPool pool(problem, false);
        RingWalk walk(problem, pool, pooled(pool, embed(problem, random_order(random, 10, 6))));
        walk.offer_paths(0.1, true);
        for (const int kind : {0, 1, 2, 3, 4, 5, 0}) {
            SCOPED_TRACE(kind);
            const std::vector<Host> before = walk.ring().order;
            std::vector<Host> chain;
            for (Host host = 0; host < platform.hosts(); ++host)
                if (std::ranges::count(before, host) == 0) chain.push_back(host);
            chain.resize(std::min<std::size_t>(chain.size(), kind == 2 ? 1 : 2));
            const std::size_t second = 1 + random.below(before.size() - 1);
            const std::size_t first = random.below(second);
            const auto order = changed(before, kind, first, second, chain);
            const double at_least = walk.at_least(order);
            ASSERT_TRUE(walk.make(order, anything, {.rounds = 40}));
            EXPECT_THAT(walk.ring().order, ElementsAreArray(order));
            const Embedding ring = unpooled(pool, walk.ring());
            const Optimum optimum = optimal_rates(problem, ring);
            EXPECT_LE(at_least, optimum.division.step_time * (1 + 1e-9));
            expect_sound(problem, {ring, optimum.rates, optimum.division});
        }
    }
}

TEST(RingSearch, is_never_worse_than_greedy_with_any_refinement) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Platform platform(test::random_platform(random, range_of(random, 10)));
        const RouteTable routes = widest_routes(platform);
        for (const double exchange : {0.05, 0.5}) {
            const Problem problem{platform, routes, 1, exchange};
            double greedy_time = infinity;
            for (const auto& [name, refinement] : refinements) {
                Settings settings = within(std::numeric_limits<std::uint64_t>::max());
                settings.refinement = refinement;
                const Found found = greedy(problem, settings);
                greedy_time = std::min(greedy_time, found.solution.division.step_time);
            }
            for (const Planner planner : {automatic, local_search}) {
                const Found found = planner(problem, within(3'000'000));
                expect_sound(problem, found.solution);
                EXPECT_LE(found.solution.division.step_time, greedy_time * (1 + 1e-12));
            }
        }
    }
}

TEST(RingSearch, finds_the_best_ring_of_few_hosts_by_annealing_alone) {
    int met = 0;
    int tried = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const std::size_t hosts = 1 + random.below(5);
        const Platform platform(test::random_platform(random, range_of(random, hosts)));
        const RouteTable routes = widest_routes(platform);
        for (const double exchange : {0.03, 0.3}) {
            const Problem problem{platform, routes, 1, exchange};
            const double best = optimal(problem, within(std::numeric_limits<std::uint64_t>::max()))
                                    .solution.division.step_time;
            const Found found = annealing(problem, within(6'000'000));
            expect_sound(problem, found.solution);
            EXPECT_LE(found.solution.division.step_time, best * 1.05);
            met += found.solution.division.step_time <= best * (1 + 1e-6) ? 1 : 0;
            ++tried;
        }
    }
    EXPECT_GE(met, tried * 9 / 10);
}

TEST(RingSearch, of_few_hosts_is_proven_or_better_by_other_paths) {
    for (std::uint64_t seed = 21; seed <= 24; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Platform platform(test::random_platform(random, range_of(random, 5)));
        const RouteTable routes = widest_routes(platform);
        const Problem problem{platform, routes, 1, 0.1};
        const double best = optimal(problem, within(std::numeric_limits<std::uint64_t>::max()))
                                .solution.division.step_time;
        const Found found = automatic(problem, within(3'000'000));
        expect_sound(problem, found.solution);
        EXPECT_TRUE(found.optimal);
        EXPECT_LE(found.solution.division.step_time, best * (1 + 1e-9));
    }
}

TEST(RingSearch, keeps_to_shortest_and_listed_routes) {
    for (std::uint64_t seed = 31; seed <= 34; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto range = range_of(random, 9);
        range.more_links = 12;
        const auto network = test::random_platform(random, range);
        const Platform free(network);
        const Platform listed(test::with_wandering_routes(random, network));
        for (const Platform* platform : {&free, &listed}) {
            const RouteTable routes = shortest_routes(*platform);
            const Problem problem{*platform, routes, 1, 0.1};
            const Found found = automatic(
                problem,
                within(2'000'000, platform == &free ? PathChoice::shortest : PathChoice::widest));
            expect_sound(problem, found.solution);
            const Embedding expected = embed(problem, found.solution.embedding.order);
            EXPECT_EQ(found.solution.embedding.to_successor, expected.to_successor);
            EXPECT_EQ(found.solution.embedding.to_predecessor, expected.to_predecessor);
        }
    }
}

TEST(RingSearch, is_the_same_for_the_same_seed_and_work) {
    Random random(5);
    const Platform platform(test::random_platform(random, range_of(random, 12)));
    const RouteTable routes = widest_routes(platform);
    const Problem problem{platform, routes, 1, 0.1};
    const Found one = automatic(problem, within(4'000'000));
    const Found other = automatic(problem, within(4'000'000));
    EXPECT_EQ(one.solution.embedding.order, other.solution.embedding.order);
    EXPECT_EQ(one.solution.embedding.to_successor, other.solution.embedding.to_successor);
    EXPECT_EQ(one.solution.division.step_time, other.solution.division.step_time);
}

TEST(RingSearch, has_a_ring_even_without_time) {
    Random random(7);
    const Platform platform(test::random_platform(random, range_of(random, 12)));
    const RouteTable routes = widest_routes(platform);
    const Problem problem{platform, routes, 1, 0.1};
    for (const Planner planner : {automatic, local_search, annealing}) {
        Settings settings;
        settings.limits.time = Seconds(0);
        expect_sound(problem, planner(problem, settings).solution);
    }
}

}  // namespace
}  // namespace espalier::ring
