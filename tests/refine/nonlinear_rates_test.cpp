// KINSOL's bandwidths against those of the interior-point method.
#include "refine/nonlinear_rates.hpp"

#include "ring/allocation.hpp"
#include "ring/routes.hpp"
#include "support/random_platforms.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <utility>

namespace espalier::refine {
namespace {

using ring::Host;

/// What came of the rings of one kind.
struct Outcome {
    int rings = 0;
    int converged = 0;
};

Outcome compare(std::size_t hosts, double spread, double ratio, std::uint64_t seeds) {
    Outcome outcome;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Random random(seed);
        test::PlatformRange range{.hosts = hosts, .routers = hosts, .more_links = hosts / 2};
        range.cycle_times = spread;
        range.bandwidths = spread;
        range.latencies = 0.05;
        const ring::Platform platform(test::random_platform(random, range));
        const auto routes = ring::widest_routes(platform);
        const ring::Problem problem{platform, routes, 10, 10 * ratio};
        std::vector<Host> order(1 + random.below(hosts));
        std::iota(order.begin(), order.end(), Host{0});
        for (std::size_t left = order.size(); left > 1; --left)
            std::swap(order[left - 1], order[random.below(left)]);
        const auto ring = ring::embed(problem, std::move(order));
        const auto start = ring::max_min_rates(problem, ring);
        const auto rates = nonlinear_rates(problem, ring, start);
        ++outcome.rings;
        if (!rates) continue;
        ++outcome.converged;
        EXPECT_NEAR(divide_work(problem, ring, *rates).step_time /
                        optimal_rates(problem, ring).division.step_time,
                    1, 1e-6)
            << "seed " << seed;
        std::vector<double> used(platform.links(), 0);
        const auto use = [&](const ring::Path& path, double rate) {
            for (const auto link : path) {
                if (platform.link(link).shared) used[link] += rate;
                EXPECT_LE(rate, platform.link(link).bandwidth * (1 + 1e-12));
            }
        };
        for (std::size_t place = 0; place < ring.to_successor.size(); ++place) {
            use(ring.to_successor[place], rates->to_successor[place]);
            use(ring.to_predecessor[place], rates->to_predecessor[place]);
        }
        for (ring::LinkId link = 0; link < platform.links(); ++link)
            EXPECT_LE(used[link], platform.link(link).bandwidth * (1 + 1e-12));
    }
    return outcome;
}

TEST(NonlinearRates, are_the_optimal_ones_wherever_messages_and_work_both_count) {
    for (const double ratio : {1e-3, 0.1, 1.0}) {
        const Outcome outcome = compare(9, 10, ratio, 20);
        EXPECT_EQ(outcome.converged, outcome.rings) << "ratio " << ratio;
    }
}

TEST(NonlinearRates, are_nearly_always_found_on_platforms_of_great_contrasts) {
    Outcome all;
    for (const double ratio : {1e-6, 0.1, 10.0}) {
        const Outcome outcome = compare(7, 1e4, ratio, 20);
        all.rings += outcome.rings;
        all.converged += outcome.converged;
    }
    EXPECT_GE(all.converged, all.rings * 9 / 10);
}

TEST(NonlinearRates, are_found_for_dozens_of_hosts) {
    const Outcome outcome = compare(37, 100, 0.1, 3);
    EXPECT_EQ(outcome.converged, outcome.rings);
}

TEST(NonlinearRates, that_are_found_print_nothing) {
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    compare(5, 1e6, 1e6, 10);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace espalier::refine
