// The best ring of all against plain enumeration of all rings, and of all their paths.
#include "ring/optimal.hpp"
#include "core/infinity.hpp"

#include "core/error.hpp"
#include "ring/allocation.hpp"
#include "ring/greedy.hpp"
#include "ring/routes.hpp"

#include "ring/oracle.hpp"
#include "ring/wandering_routes.hpp"
#include "support/random_platforms.hpp"

#include <gmock/gmock.h>

namespace espalier::ring {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

Settings unhurried(PathChoice paths) {
    Settings settings;
    settings.paths = paths;
    settings.limits.time = Seconds(1000);
    return settings;
}

double least_along_routes(const Problem& problem) {
    double best = infinity;
    for (Host host = 0; host < problem.platform.hosts(); ++host)
        best = std::min(best, problem.work * problem.platform.cycle_time(host));
    test::for_each_ring(problem.platform.hosts(), [&](const std::vector<Host>& order) {
        best = std::min(best, optimal_rates(problem, embed(problem, order)).division.step_time);
    });
    return best;
}

test::PlatformRange range_of(Random& random, std::size_t most_hosts) {
    const std::size_t hosts = 1 + random.below(most_hosts);
    return test::varied_range(random, hosts, 6, 0.05);
}

TEST(RingOptimal, is_the_best_of_all_rings_along_widest_paths) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Platform platform(test::random_platform(random, range_of(random, 5)));
        const RouteTable routes = widest_routes(platform);
        for (const double exchange : {0.03, 0.3}) {
            const Problem problem{platform, routes, 1, exchange};
            const Found found = optimal(problem, unhurried(PathChoice::widest));
            const double least = least_along_routes(problem);
            EXPECT_TRUE(found.optimal);
            EXPECT_NEAR(found.solution.division.step_time, least, 1e-8 * least);
            // What it claims is what its own ring and bandwidths take.
            EXPECT_NEAR(
                divide_work(problem, found.solution.embedding, found.solution.rates).step_time,
                found.solution.division.step_time, 1e-9 * least);
        }
    }
}

TEST(RingOptimal, is_the_best_of_all_rings_along_shortest_and_listed_routes) {
    for (std::uint64_t seed = 101; seed <= 120; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto range = range_of(random, 5);
        range.hosts += 1;
        const auto network = test::random_platform(random, range);
        const Platform free(network);
        const Platform listed(test::with_wandering_routes(random, network));
        for (const Platform* platform : {&free, &listed}) {
            const RouteTable routes = shortest_routes(*platform);
            const Problem problem{*platform, routes, 1, 0.1};
            const Found found = optimal(problem, unhurried(PathChoice::shortest));
            const double least = least_along_routes(problem);
            EXPECT_NEAR(found.solution.division.step_time, least, 1e-8 * least);
        }
    }
}

TEST(RingOptimal, is_the_best_along_all_simple_paths_where_these_are_asked_for) {
    std::size_t better = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto range = range_of(random, 3);
        range.more_links = 1 + random.below(4);
        range.bandwidths = 3;
        const Platform platform(test::random_platform(random, range));
        const RouteTable routes = widest_routes(platform);
        const Problem problem{platform, routes, 1, 0.1};
        std::size_t paths = 0;  // what the oracle can try out
        for (Host a = 0; a < platform.hosts(); ++a)
            for (Host b = 0; b < platform.hosts(); ++b)
                if (a != b) paths = std::max(paths, test::simple_paths(platform, a, b).size());
        if (paths > (platform.hosts() == 2 ? 6 : 3)) continue;
        const double least = test::least_step_time(problem, 5'000);
        const Found found = optimal(problem, unhurried(PathChoice::all));
        EXPECT_TRUE(found.optimal);
        EXPECT_NEAR(found.solution.division.step_time, least, 1e-8 * least);
        if (least_along_routes(problem) > least * (1 + 1e-6)) ++better;
    }
    EXPECT_GE(better, 3U);
}

TEST(RingOptimal, is_never_worse_than_greedy_and_says_so_when_it_was_stopped) {
    Random random(5);
    const Platform platform(
        test::random_platform(random, {.hosts = 16, .routers = 6, .more_links = 6}));
    const RouteTable routes = widest_routes(platform);
    const Problem problem{platform, routes, 1, 0.1};
    Settings settings = unhurried(PathChoice::widest);
    settings.limits.work = 1'000'000;
    const Found found = optimal(problem, settings);
    EXPECT_FALSE(found.optimal);
    const auto grown = greedy(problem, unhurried(PathChoice::widest)).solution.embedding.order;
    EXPECT_LE(found.solution.division.step_time,
              optimal_rates(problem, embed(problem, grown)).division.step_time * (1 + 1e-9));
}

TEST(RingOptimal, refuses_more_simple_paths_than_can_be_tried) {
    Random random(6);
    const Platform platform(
        test::random_platform(random, {.hosts = 8, .routers = 10, .more_links = 60}));
    const RouteTable routes = widest_routes(platform);
    const Problem problem{platform, routes, 1, 0.1};
    try {
        (void)optimal(problem, unhurried(PathChoice::all));
        FAIL() << "all paths were tried";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("more than 20000 simple paths lead between the 8 hosts"));
    }
}

TEST(SimplePaths, are_all_that_visit_no_vertex_twice) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto range = range_of(random, 4);
        range.hosts += 1;
        const Platform platform(test::random_platform(random, range));
        const auto all = test::simple_paths(platform, 0, 1);
        const auto found = simple_paths(platform, 0, 1, all.size());
        ASSERT_TRUE(found);
        EXPECT_THAT(*found, UnorderedElementsAreArray(all));
        EXPECT_FALSE(simple_paths(platform, 0, 1, all.size() - 1));
    }
}

}  // namespace
}  // namespace espalier::ring
