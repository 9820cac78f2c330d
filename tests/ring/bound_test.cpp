// Bounds on the steps of rings against the best of all rings, tried one by one.
#include "ring/bound.hpp"
#include "core/infinity.hpp"
#include "ring/fair_share.hpp"
#include "ring/routes.hpp"

#include "ring/oracle.hpp"
#include "ring/wandering_routes.hpp"
#include "support/random_platforms.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace espalier::ring {
namespace {

using schedule::RingSharing;
using test::PlatformRange;

constexpr double rounding = 1e-7;  // of the oracle's bandwidths
const Limits few_steps{Seconds(600), 3'000'000};

struct Tried {
    int instances = 0;
    double sum = 0;    ///< of bounds over the best steps
    double plain = 0;  ///< of those without exchange
};

/// Compares bound and best step of random platforms, with listed routes if `routed`.
Tried try_platforms(const PlatformRange& range, std::uint64_t first_seed, int count,
                    bool routed = false) {
    Tried tried;
    for (std::uint64_t seed = first_seed; seed < first_seed + static_cast<unsigned>(count);
         ++seed) {
        Random random(seed);
        auto network = test::random_platform(random, range);
        if (routed) network = test::with_wandering_routes(random, std::move(network));
        const Platform platform(network);
        const auto routes = widest_routes(platform);
        const double exchange = std::exp(random.uniform(-6, -1));
        const Problem problem{platform, routes, 1, exchange};
        const double best = test::least_step_time(problem, 64);

        const double bound = lower_bound(problem, RingSharing::reserved, few_steps);
        EXPECT_LE(bound, best * (1 + rounding)) << "seed " << seed << " H " << exchange;
        EXPECT_GE(bound, bound_without_exchange(problem) * (1 - 1e-8)) << "seed " << seed;
        ++tried.instances;
        tried.sum += bound / best;
        tried.plain += bound_without_exchange(problem) / best;
    }
    return tried;
}

TEST(RingBound, isNeverOverTheBestRingWithAnyPaths) {
    const auto tried = try_platforms({.hosts = 3, .routers = 2, .more_links = 2}, 1, 40);
    EXPECT_GT(tried.sum, 0.97 * tried.instances);
    EXPECT_LT(tried.plain, 0.75 * tried.instances);
}

TEST(RingBound, isNeverOverTheBestRingOfFourHosts) {
    const auto tried = try_platforms({.hosts = 4, .routers = 2, .more_links = 1}, 100, 12);
    EXPECT_GT(tried.sum, 0.95 * tried.instances);
}

TEST(RingBound, isNeverOverTheBestRingOfATree) {
    const auto tried = try_platforms(
        {.hosts = 5, .routers = 3, .more_links = 0, .backbone = 0, .bandwidths = 30}, 200, 10);
    EXPECT_GT(tried.sum, 0.9 * tried.instances);
}

TEST(RingBound, isNeverOverTheBestRingWithLatencies) {
    (void)try_platforms({.hosts = 3, .routers = 2, .more_links = 2, .latencies = 0.3}, 300, 20);
    (void)try_platforms({.hosts = 4, .routers = 1, .more_links = 1, .latencies = 0.05}, 330, 6);
}

TEST(RingBound, isNeverOverTheBestRingWithDirectedAndBackboneLinks) {
    (void)try_platforms(
        {.hosts = 3, .routers = 1, .more_links = 3, .directed = 0.7, .backbone = 0.3}, 5000, 60);
    (void)try_platforms({.hosts = 4, .routers = 0, .more_links = 2, .whole = true}, 430, 6);
}

TEST(RingBound, isNeverOverTheBestRingAlongListedRoutes) {
    const auto tried = try_platforms({.hosts = 5, .routers = 3, .more_links = 2}, 500, 10, true);
    EXPECT_GT(tried.sum, 0.95 * tried.instances);
}

TEST(RingBound, isThatOfAHostAloneWhereMessagesTakeForever) {
    Random random(7);
    const Platform platform(test::random_platform(random, {.hosts = 6}));
    const auto routes = widest_routes(platform);
    double alone = infinity;
    for (Host host = 0; host < platform.hosts(); ++host)
        alone = std::min(alone, 3 * platform.cycle_time(host));
    EXPECT_NEAR(lower_bound({platform, routes, 3, 1e6}, RingSharing::reserved, few_steps), alone,
                1e-6 * alone);
    EXPECT_NEAR(lower_bound({platform, routes, 3, 1e6}, RingSharing::fair, few_steps), alone,
                1e-6 * alone);
}

TEST(RingBound, nearsTheBoundWithoutExchangeWhereMessagesAreSmall) {
    Random random(8);
    const Platform platform(test::random_platform(random, {.hosts = 6}));
    const auto routes = widest_routes(platform);
    const Problem problem{platform, routes, 3, 1e-9};
    const double plain = bound_without_exchange(problem);
    EXPECT_NEAR(lower_bound(problem, RingSharing::reserved, few_steps), plain, 1e-4 * plain);
    EXPECT_NEAR(lower_bound(problem, RingSharing::fair, few_steps), plain, 1e-4 * plain);
}

TEST(RingBound, isTheSameEachTimeAndNeverOverWhatIsEnough) {
    Random random(9);
    const Platform platform(
        test::random_platform(random, {.hosts = 10, .routers = 6, .more_links = 3}));
    const auto routes = widest_routes(platform);
    const Problem problem{platform, routes, 1, 0.02};
    const double bound = lower_bound(problem, RingSharing::reserved, few_steps);
    EXPECT_EQ(bound, lower_bound(problem, RingSharing::reserved, few_steps));
    EXPECT_GT(bound, 1.05 * bound_without_exchange(problem));
    const double enough = 0.98 * bound;
    const double early = lower_bound(problem, RingSharing::reserved, few_steps, enough);
    EXPECT_LE(early, enough);
    EXPECT_GE(early, 0.999 * enough);
}

TEST(RingBound, ofOneHostAndOfTwoAreThoseOfTheirRings) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Random random(seed);
        const Platform one(
            test::random_platform(random, {.hosts = 1, .routers = 0, .more_links = 0}));
        const auto no_routes = widest_routes(one);
        const Problem alone{one, no_routes, 2, 1};
        EXPECT_NEAR(lower_bound(alone, RingSharing::reserved, few_steps), 2 * one.cycle_time(0),
                    1e-6);

        const Platform two(test::random_platform(
            random, {.hosts = 2, .routers = 0, .more_links = 0, .backbone = 0}));
        const auto routes = widest_routes(two);
        const Problem pair{two, routes, 2, 0.1};
        const double best = test::least_step_time(pair, 1);
        EXPECT_LE(lower_bound(pair, RingSharing::reserved, few_steps), best * (1 + rounding));
        EXPECT_GE(lower_bound(pair, RingSharing::reserved, few_steps), best * 0.95);
    }
}

/// The step of each ring with its work divided for fair sharing, in the long run.
double least_fair_step_time(const Problem& problem) {
    double best = infinity;
    for (Host host = 0; host < problem.platform.hosts(); ++host)
        best = std::min(best, problem.work * problem.platform.cycle_time(host));
    FairShare shares(problem);
    test::for_each_ring(problem.platform.hosts(), [&](const std::vector<Host>& order) {
        const auto divided = shares.divide(order, {8, {8, 8}});
        if (divided.embedding.size() < 2) return;
        const auto long_run =
            shares.evaluate(divided.embedding.order, divided.division.shares, {40, 200});
        best = std::min(best, long_run.division.step_time);
    });
    return best;
}

TEST(RingBound, underFairSharingIsNeverOverTheBestSimulatedRing) {
    double sum = 0;
    double plain = 0;
    constexpr int count = 16;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        Random random(seed);
        const bool routed = seed % 2 == 0;
        auto network = test::random_platform(
            random, {.hosts = 4, .routers = 2, .more_links = 1, .latencies = routed ? 0.02 : 0});
        if (routed) network = test::with_wandering_routes(random, std::move(network));
        const Platform platform(network);
        const auto routes = widest_routes(platform);
        const Problem problem{platform, routes, 1, std::exp(random.uniform(-4, 0))};
        const double best = least_fair_step_time(problem);
        const double bound = lower_bound(problem, RingSharing::fair, few_steps);
        constexpr double of_window = 1e-3;  // messages on their way when steps are counted
        EXPECT_LE(bound, best * (1 + of_window)) << "seed " << seed;
        sum += bound / best;
        plain += bound_without_exchange(problem) / best;
    }
    EXPECT_GT(sum, 0.85 * count);
    EXPECT_LT(plain, 0.75 * count);
}

}  // namespace
}  // namespace espalier::ring
