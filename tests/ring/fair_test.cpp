#include "ring/fair.hpp"

#include "network/generate_tiers.hpp"
#include "ring/bound.hpp"
#include "ring/fair_share.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

namespace espalier::ring {
namespace {

/// A platform with its own routes, and what is asked of it.
struct Case {
    explicit Case(const network::LinksNetwork& network, double work, double exchange)
        : platform(network),
          routes(shortest_routes(platform)),
          problem{platform, routes, work, exchange} {}

    Platform platform;
    RouteTable routes;
    Problem problem;
};

network::LinksNetwork tiers(std::size_t hosts, std::uint64_t seed) {
    network::RandomTiersOptions options;
    options.hosts = hosts;
    options.routers = network::default_tiers_routers(hosts);
    options.links = network::default_tiers_links(hosts, options.routers);
    Random random(seed);
    return network::random_tiers(options, random);
}

Settings limited(std::uint64_t work) {
    Settings settings;
    settings.limits = {Seconds(1000), work};
    return settings;
}

double step_time(const Problem& problem, const Solution& solution) {
    return FairShare(problem)
        .evaluate(solution.embedding.order, solution.division.shares,
                  simulate::RingHorizon::steady(solution.embedding.size()))
        .division.step_time;
}

/// The least step of all rings of these hosts, each thoroughly balanced.
double best_of_all(const Problem& problem) {
    FairShare share(problem);
    double best = 1e300;
    const auto hosts = static_cast<Host>(problem.platform.hosts());
    for (std::uint32_t chosen = 1; chosen < 1U << hosts; ++chosen) {
        std::vector<Host> order;
        for (Host host = 0; host < hosts; ++host)
            if ((chosen >> host & 1U) != 0) order.push_back(host);
        do {
            const auto solution = share.divide(order, Balancing::thorough(order.size()));
            best = std::min(best, solution.division.step_time);
        } while (order.size() > 3 && std::next_permutation(order.begin() + 1, order.end()));
    }
    return best;
}

TEST(FairShare, makes_all_hosts_end_together_where_they_can) {
    const Case c(tiers(6, 4), 1, 0.05);
    std::vector<Host> order(c.platform.hosts());
    std::iota(order.begin(), order.end(), Host{0});
    FairShare share(c.problem);
    const auto even = share.evaluate(order, speed_shares(c.problem, order),
                                     simulate::RingHorizon::steady(order.size()));
    const auto balanced = share.divide(order, Balancing::thorough(order.size()));
    EXPECT_LT(balanced.division.step_time, even.division.step_time);
    EXPECT_NEAR(
        std::accumulate(balanced.division.shares.begin(), balanced.division.shares.end(), 0.0), 1,
        1e-12);
    EXPECT_NEAR(step_time(c.problem, balanced), balanced.division.step_time,
                1e-9 * balanced.division.step_time);
}

TEST(FairShare, leaves_out_a_host_whose_messages_take_too_long) {
    // All are alike but for what "far" sends.
    network::LinksNetwork network;
    network.nodes = {{"a", 1.0, 0}, {"b", 1.0, 0}, {"far", 1.0, 0}, {"r", std::nullopt, 0}};
    const auto add = [&](std::size_t from, std::size_t to, double bandwidth) {
        network.links.push_back({std::to_string(network.links.size()),
                                 network::LinksNetwork::Ends{from, to}, BytesPerSecond(bandwidth),
                                 Seconds(0), network::LinksNetwork::Kind::directed});
    };
    for (std::size_t host = 0; host < 3; ++host) {
        add(host, 3, host == 2 ? 0.01 : 100);
        add(3, host, 100);
    }
    const Case c(network, 10, 1);
    const auto solution = FairShare(c.problem).divide({0, 1, 2}, Balancing::thorough(3));
    EXPECT_THAT(solution.embedding.order, ::testing::ElementsAre(0U, 1U));
    EXPECT_NEAR(solution.division.step_time, 5 + 2.0 / 100, 1e-3);
}

TEST(PlanFair, finds_rings_as_good_as_any_of_few_hosts) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
        for (const double exchange : {0.05, 0.5}) {
            const Case c(tiers(5, seed), 1, exchange);
            const Found found = plan_fair(c.problem, limited(100'000'000));
            EXPECT_LE(found.solution.division.step_time, best_of_all(c.problem) * 1.005)
                << "seed " << seed << ", H " << exchange;
        }
}

TEST(PlanFair, tells_the_step_time_that_its_ring_has_and_a_bound_below_it) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Case c(tiers(12, seed), 1, 0.2);
        const Found found = plan_fair(c.problem, limited(20'000'000));
        const double told = found.solution.division.step_time;
        EXPECT_NEAR(step_time(c.problem, found.solution), told, 1e-9 * told);
        const double bound =
            lower_bound(c.problem, schedule::RingSharing::fair, limited(20'000'000).limits);
        EXPECT_LE(bound, told);
        EXPECT_GT(bound, 0.2 * told);
    }
}

TEST(PlanFair, comes_near_the_rings_it_starts_from) {
    const Case c(tiers(12, 5), 1, 0.1);
    const Found good = plan_fair(c.problem, limited(50'000'000));
    const std::vector<std::vector<Host>> starts{good.solution.embedding.order};
    const Found found = plan_fair(c.problem, limited(5'000'000), starts);
    EXPECT_LE(found.solution.division.step_time, good.solution.division.step_time * 1.05);
}

TEST(PlanFair, gives_all_the_work_to_a_host_that_is_alone_or_too_far_from_others) {
    network::LinksNetwork network;
    network.nodes = {{"a", 2.0, 0}};
    const Case alone(network, 3, 1);
    const Found one = plan_fair(alone.problem, Settings{});
    EXPECT_DOUBLE_EQ(one.solution.division.step_time, 6);
    EXPECT_NEAR(lower_bound(alone.problem, schedule::RingSharing::fair, {}), 6, 1e-8);
    EXPECT_TRUE(one.optimal);

    const Case far(tiers(6, 1), 1, 1e6);
    const Found found = plan_fair(far.problem, limited(1'000'000));
    EXPECT_EQ(found.solution.embedding.size(), 1U);
    EXPECT_NEAR(lower_bound(far.problem, schedule::RingSharing::fair, {}),
                found.solution.division.step_time, 1e-8 * found.solution.division.step_time);
}

TEST(FairLowerBound, holds_for_random_rings_and_shares) {
    Random random(3);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Case c(tiers(8, seed), 1, random.uniform(0.01, 0.5));
        const double bound =
            lower_bound(c.problem, schedule::RingSharing::fair, limited(2'000'000).limits);
        std::vector<Host> order(c.platform.hosts());
        std::iota(order.begin(), order.end(), Host{0});
        for (std::size_t last = order.size(); last > 1; --last)
            std::swap(order[last - 1], order[random.below(last)]);
        order.resize(1 + random.below(order.size()));
        const auto solution = FairShare(c.problem).divide(order, Balancing{});
        EXPECT_GE(step_time(c.problem, solution), bound * (1 - 1e-9)) << "seed " << seed;
    }
}

}  // namespace
}  // namespace espalier::ring
