// Greedy growth against a plain one, which tries every host in every place with paths searched one
// by one, and knows no bounds.
#include "ring/greedy.hpp"
#include "core/infinity.hpp"

#include "ring/allocation.hpp"
#include "ring/insertions.hpp"
#include "ring/routes.hpp"
#include "ring/widest_path.hpp"

#include "ring/wandering_routes.hpp"
#include "support/random_platforms.hpp"

#include <gmock/gmock.h>

#include <tuple>

namespace espalier::ring {
namespace {

Settings unhurried(Refinement refinement = Refinement::none) {
    Settings settings;
    settings.refinement = refinement;
    settings.limits.time = Seconds(1000);
    return settings;
}

double equation_4(const Problem& problem, const Solution& solution) {
    double speed = 0;
    double sum = problem.work;
    const auto times = communication_times(problem, solution.embedding, solution.rates);
    for (std::size_t place = 0; place < times.size(); ++place) {
        const double cycle_time = problem.platform.cycle_time(solution.embedding.order[place]);
        speed += 1 / cycle_time;
        sum += times[place] / cycle_time;
    }
    return sum / speed;
}

/// Of those that tie in T the least by Equation 4, and of those that tie in this, too, the first.
std::optional<Solution> first_of_best(const Problem& problem, const std::vector<Solution>& all) {
    double least = infinity;
    for (const auto& one : all) least = std::min(least, one.division.step_time);
    if (least == infinity) return std::nullopt;
    double balanced = infinity;
    const auto ties = [&](const Solution& one) {
        return one.division.step_time <= least * (1 + tie);
    };
    for (const auto& one : all)
        if (ties(one)) balanced = std::min(balanced, equation_4(problem, one));
    for (const auto& one : all)
        if (ties(one) && equation_4(problem, one) <= balanced * (1 + tie)) return one;
    return std::nullopt;
}

std::optional<Solution> grown(const Problem& problem, const Solution& ring, bool fixed) {
    const Platform& platform = problem.platform;
    std::vector<Solution> all;
    for (Host host = 0; host < platform.hosts(); ++host) {
        if (std::ranges::count(ring.embedding.order, host) > 0) continue;
        for (std::size_t place = 0; place < ring.embedding.size(); ++place) {
            auto left = left_of_links(problem, ring.embedding, ring.rates);
            give_back(platform, ring.embedding, ring.rates, place, left);
            const Host first = ring.embedding.order[place];
            const Host second = ring.embedding.order[ring.embedding.after(place)];
            const auto path = [&](Host from, Host to) {
                return fixed ? problem.routes(from, to) : widest_path(platform, left, from, to);
            };
            Insertion insertion{
                host,
                place,
                {path(host, first), path(host, second), path(first, host), path(second, host)},
                {},
                0,
                0};
            const auto speed = [&](Host one) { return 1 / platform.cycle_time(one); };
            insertion.rates = four_rates(platform, left,
                                         {&insertion.paths[0], &insertion.paths[1],
                                          &insertion.paths[2], &insertion.paths[3]},
                                         {speed(host), speed(host), speed(first), speed(second)});
            if (insertion.rates[0] == 0) continue;
            Solution next = ring;
            insert(insertion, next.embedding, next.rates);
            next.division = divide_work(problem, next.embedding, next.rates);
            all.push_back(std::move(next));
        }
    }
    return first_of_best(problem, all);
}

test::PlatformRange range_of(Random& random) {
    test::PlatformRange range;
    range.hosts = 3 + random.below(8);
    range.routers = random.below(12);
    range.more_links = random.below(12);
    range.directed = random.below(2) == 0 ? 0 : 0.3;
    range.backbone = random.below(2) == 0 ? 0 : 0.2;
    range.latencies = random.below(2) == 0 ? 0 : 0.02;
    range.whole = random.below(4) == 0;
    return range;
}

void grow_both(const Problem& problem, const Settings& settings, bool fixed) {
    GreedyGrowth growth(problem, settings);
    double best = growth.solution().division.step_time;
    ASSERT_TRUE(growth.grow());
    for (Solution now = growth.solution();; now = growth.solution()) {
        best = std::min(best, now.division.step_time);
        auto next = grown(problem, now, fixed);
        ASSERT_EQ(growth.grow(), next.has_value());
        if (!next) break;
        EXPECT_EQ(growth.solution().embedding.order, next->embedding.order);
        EXPECT_EQ(growth.solution().embedding.to_successor, next->embedding.to_successor);
        EXPECT_EQ(growth.solution().embedding.to_predecessor, next->embedding.to_predecessor);
        if (settings.refinement == Refinement::none) {
            EXPECT_NEAR(growth.solution().division.step_time, next->division.step_time,
                        1e-11 * next->division.step_time);
        }
        best = std::min(best, next->division.step_time);
    }
    EXPECT_LE(growth.best().division.step_time, best * (1 + 1e-12));
    EXPECT_EQ(greedy(problem, settings).solution.embedding.order, growth.best().embedding.order);
}

TEST(RingGreedy, takes_the_insertions_that_trying_all_of_them_finds) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Platform platform(test::random_platform(random, range_of(random)));
        const RouteTable routes = widest_routes(platform);
        for (const double exchange : {0.01, 0.3})
            grow_both({platform, routes, 1, exchange}, unhurried(), false);
    }
}

TEST(RingGreedy, takes_them_after_refining_too) {
    for (std::uint64_t seed = 101; seed <= 130; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Platform platform(test::random_platform(random, range_of(random)));
        const RouteTable routes = widest_routes(platform);
        for (const Refinement refinement : {Refinement::max_min, Refinement::nonlinear})
            grow_both({platform, routes, 1, 0.05}, unhurried(refinement), false);
    }
}

TEST(RingGreedy, keeps_to_listed_routes_and_to_shortest_ones_where_these_are_asked_for) {
    for (std::uint64_t seed = 201; seed <= 230; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto range = range_of(random);
        range.routers += 1;
        const auto network = test::random_platform(random, range);
        const Platform free(network);
        const RouteTable shortest = shortest_routes(free);
        Settings settings = unhurried();
        settings.paths = PathChoice::shortest;
        grow_both({free, shortest, 1, 0.05}, settings, true);

        const Platform listed(test::with_wandering_routes(random, network));
        const RouteTable routes = widest_routes(listed);
        grow_both({listed, routes, 1, 0.05}, unhurried(), true);
    }
}

TEST(RingGreedy, never_overloads_a_link) {
    for (std::uint64_t seed = 301; seed <= 330; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Platform platform(test::random_platform(
            random, {.hosts = 20, .routers = 15, .more_links = 10, .directed = 0.2}));
        const RouteTable routes = widest_routes(platform);
        const Problem problem{platform, routes, 1, 0.01};
        GreedyGrowth growth(problem, unhurried());
        while (growth.grow()) {
            std::vector<double> used(platform.links(), 0);
            const auto& [embedding, rates, division] = growth.solution();
            const auto add = [&](const Path& path, double rate) {
                EXPECT_GT(rate, 0);
                for (const LinkId link : path) {
                    EXPECT_LE(rate, platform.link(link).bandwidth * (1 + 1e-9));
                    if (platform.link(link).shared) used[link] += rate;
                }
            };
            for (std::size_t place = 0; place < embedding.size(); ++place) {
                add(embedding.to_successor[place], rates.to_successor[place]);
                add(embedding.to_predecessor[place], rates.to_predecessor[place]);
            }
            for (LinkId link = 0; link < used.size(); ++link)
                EXPECT_LE(used[link], platform.link(link).bandwidth * (1 + 1e-9));
        }
    }
}

TEST(RingGreedy, stops_growing_when_time_is_over) {
    Random random(7);
    const Platform platform(
        test::random_platform(random, {.hosts = 30, .routers = 20, .more_links = 10}));
    const RouteTable routes = widest_routes(platform);
    const Problem problem{platform, routes, 1, 1e-4};
    Settings settings = unhurried();
    settings.limits.work = 0;
    EXPECT_EQ(greedy(problem, settings).solution.embedding.size(), 1);
    settings.limits.work = 120'000;
    const auto stopped = greedy(problem, settings).solution;
    EXPECT_GT(stopped.embedding.size(), 2);
    EXPECT_LT(stopped.embedding.size(), 30);
    EXPECT_EQ(greedy(problem, unhurried()).solution.embedding.size(), 30);
}

TEST(RingGreedy, leaves_hosts_to_themselves_whose_messages_would_take_longer_than_the_work) {
    Random random(8);
    const Platform platform(
        test::random_platform(random, {.hosts = 5, .routers = 2, .more_links = 3}));
    const RouteTable routes = widest_routes(platform);
    const auto found = greedy({platform, routes, 1, 1e3}, unhurried());
    ASSERT_EQ(found.solution.embedding.size(), 1);
    double fastest = infinity;
    for (Host host = 0; host < 5; ++host) fastest = std::min(fastest, platform.cycle_time(host));
    EXPECT_DOUBLE_EQ(found.solution.division.step_time, fastest);
}

}  // namespace
}  // namespace espalier::ring
