// Divided bandwidths against bounds from their prices, which any duals give, worked out from the
// paths alone; against other divisions; against closed forms.
#include "core/infinity.hpp"
#include "ring/allocation.hpp"
#include "ring/routes.hpp"

#include "ring/wandering_routes.hpp"
#include "support/random_platforms.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace espalier::ring {
namespace {

/// A ring of all hosts of a random platform in random order; keeps what it is made from.
struct RandomRing {
    RandomRing(std::uint64_t seed, const test::PlatformRange& range, double exchange,
               bool wander = false)
        : random(seed),
          platform(made(random, range, wander)),
          routes(widest_routes(platform)),
          problem{platform, routes, 10, 10 * exchange} {
        std::vector<Host> order(platform.hosts());
        std::iota(order.begin(), order.end(), Host{0});
        for (std::size_t left = order.size(); left > 1; --left)
            std::swap(order[left - 1], order[random.below(left)]);
        embedding = embed(problem, std::move(order));
    }
    static Platform made(Random& random, const test::PlatformRange& range, bool wander) {
        auto network = test::random_platform(random, range);
        return Platform(wander ? test::with_wandering_routes(random, std::move(network)) : network);
    }

    Random random;
    Platform platform;
    RouteTable routes;
    Problem problem;
    Embedding embedding;
};

template <typename Visit>
void for_each_path(const Embedding& embedding, const Rates& rates, const Visit& visit) {
    for (std::size_t place = 0; place < embedding.to_successor.size(); ++place) {
        visit(place, embedding.to_successor[place], rates.to_successor[place]);
        visit(place, embedding.to_predecessor[place], rates.to_predecessor[place]);
    }
}

/// How much of the link that is used most is used; each path has its own part of a backbone.
double greatest_use(const RandomRing& ring, const Rates& rates) {
    std::vector<double> used(ring.platform.links(), 0);
    double greatest = 0;
    for_each_path(ring.embedding, rates, [&](std::size_t, const Path& path, double rate) {
        for (const LinkId link : path) {
            if (ring.platform.link(link).shared)
                used[link] += rate;
            else
                greatest = std::max(greatest, rate / ring.platform.link(link).bandwidth);
        }
    });
    for (LinkId link = 0; link < ring.platform.links(); ++link)
        greatest = std::max(greatest, used[link] / ring.platform.link(link).bandwidth);
    return greatest;
}

/// The work that fits into a step at most, whatever the bandwidths, if each has to be paid for at
/// these prices: each path then takes what is best for its own host.
double work_bound(const RandomRing& ring, double step_time, const std::vector<double>& prices) {
    const Problem& problem = ring.problem;
    double work = 0;
    for (LinkId link = 0; link < ring.platform.links(); ++link)
        if (ring.platform.link(link).shared)
            work += prices[link] * ring.platform.link(link).bandwidth;
    for (const Host host : ring.embedding.order) work += step_time / ring.platform.cycle_time(host);
    const auto pay = [&](Host from, Host to, const Path& path) {
        const double cycle_time = ring.platform.cycle_time(from);
        double price = 0;
        double cap = infinity;
        for (const LinkId link : path)
            if (ring.platform.link(link).shared)
                price += prices[link];
            else
                cap = std::min(cap, ring.platform.link(link).bandwidth);
        work -= problem.delay(from, to, path) / cycle_time;
        const double rate = std::min(cap, std::sqrt(problem.exchange / cycle_time / price));
        if (!path.empty())
            work -= problem.exchange / rate / cycle_time + (price > 0 ? rate * price : 0);
    };
    const auto& embedding = ring.embedding;
    for (std::size_t place = 0; place < embedding.to_successor.size(); ++place) {
        const Host host = embedding.order[place];
        pay(host, embedding.order[embedding.after(place)], embedding.to_successor[place]);
        pay(host, embedding.order[embedding.before(place)], embedding.to_predecessor[place]);
    }
    return work;
}

bool some_share_is_zero(const Division& division) {
    return std::ranges::any_of(division.shares, [](double share) { return share < 1e-6; });
}

test::PlatformRange range_of(std::size_t hosts, double spread) {
    test::PlatformRange range{.hosts = hosts, .routers = hosts, .more_links = hosts / 2};
    range.cycle_times = spread;
    range.bandwidths = spread;
    range.latencies = 0.05;
    return range;
}

constexpr double ratios[] = {1e-6, 1e-3, 0.03, 0.1, 0.3, 1, 1e3, 1e6};

TEST(RingRates, that_are_optimal_respect_links_and_are_never_worse_than_max_min_fair_ones) {
    for (const bool wander : {false, true})
        for (const double ratio : ratios)
            for (std::uint64_t seed = 1; seed <= 10; ++seed) {
                const RandomRing ring(seed, range_of(2 + seed, seed % 2 == 0 ? 1e4 : 10), ratio,
                                      wander);
                const auto fair = max_min_rates(ring.problem, ring.embedding);
                EXPECT_LE(greatest_use(ring, fair), 1 + 1e-12);
                const auto best = optimal_rates(ring.problem, ring.embedding);
                EXPECT_LE(greatest_use(ring, best.rates), 1 + 1e-12);
                EXPECT_LE(best.division.step_time,
                          divide_work(ring.problem, ring.embedding, fair).step_time * (1 + 1e-9))
                    << "seed " << seed << " ratio " << ratio;
            }
}

TEST(RingRates, that_are_optimal_meet_the_bound_of_their_prices) {
    int proven = 0;
    for (const double ratio : {1e-6, 1e-4, 1e-3, 3e-3, 0.01, 0.03})
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const RandomRing ring(seed, range_of(2 + 2 * seed, 10), ratio);
            const auto best = optimal_rates(ring.problem, ring.embedding);
            // The bound knows nothing of hosts whose communication alone fills the step.
            if (some_share_is_zero(best.division)) continue;
            ++proven;
            const double earlier = best.division.step_time * (1 - 2e-9);
            EXPECT_LT(work_bound(ring, earlier, best.prices), ring.problem.work)
                << "seed " << seed << " ratio " << ratio;
        }
    EXPECT_GT(proven, 20);
}

TEST(RingRates, that_are_optimal_are_no_worse_than_any_random_change_of_them) {
    for (const double ratio : {0.1, 1.0, 1e3})
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            RandomRing ring(seed, range_of(2 + seed / 2, 100), ratio, seed % 2 == 0);
            const auto best = optimal_rates(ring.problem, ring.embedding);
            for (int change = 0; change < 300; ++change) {
                const double size = std::pow(10.0, ring.random.uniform(-6, 0));
                Rates other = best.rates;
                for (double& rate : other.to_successor)
                    rate *= 1 + size * ring.random.uniform(-1, 1);
                for (double& rate : other.to_predecessor)
                    rate *= 1 + size * ring.random.uniform(-1, 1);
                const double use = greatest_use(ring, other);
                for (double& rate : other.to_successor) rate /= use;
                for (double& rate : other.to_predecessor) rate /= use;
                EXPECT_GE(divide_work(ring.problem, ring.embedding, other).step_time,
                          best.division.step_time * (1 - 2e-9))
                    << "seed " << seed << " ratio " << ratio;
            }
        }
}

TEST(RingRates, that_are_optimal_come_out_of_any_start) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        RandomRing ring(seed, range_of(8, 100), 0.3);
        const auto best = optimal_rates(ring.problem, ring.embedding);
        auto start = max_min_rates(ring.problem, ring.embedding);
        for (double& rate : start.to_successor) rate *= std::exp(ring.random.uniform(-6, 6));
        EXPECT_NEAR(optimal_rates(ring.problem, ring.embedding, 1e-9, &start).division.step_time /
                        best.division.step_time,
                    1, 2e-9);
        EXPECT_NEAR(optimal_rates(ring.problem, ring.embedding, 1e-4).division.step_time /
                        best.division.step_time,
                    1, 1e-4);
    }
}

TEST(RingRates, have_prices_that_say_what_a_narrower_link_costs) {
    int seen = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Random random(seed);
        auto range = range_of(6, 10);
        range.backbone = 0.3;
        const auto network = test::random_platform(random, range);
        std::vector<Host> order{3, 1, 4, 0, 2, 5};
        const auto solved = [&](const network::LinksNetwork& changed, double work) {
            const Platform platform(changed);
            const auto routes = widest_routes(Platform(network));
            const Problem problem{platform, routes, work, 1};
            return optimal_rates(problem, embed(problem, order), 1e-11);
        };
        const auto best = solved(network, 200);
        if (some_share_is_zero(best.division)) continue;
        constexpr double step = 1e-4;
        const double per_work = (solved(network, 200 + step).division.step_time -
                                 solved(network, 200 - step).division.step_time) /
                                (2 * step);
        for (std::size_t link = 0; link < network.links.size(); ++link) {
            auto wider = network;
            auto narrower = network;
            wider.links[link].bandwidth.value *= 1 + step;
            narrower.links[link].bandwidth.value *= 1 - step;
            const double change =
                (solved(narrower, 200).division.step_time - solved(wider, 200).division.step_time) /
                (2 * step * network.links[link].bandwidth.value);
            EXPECT_NEAR(change / per_work, best.prices[link], 1e-3 * (1 + best.prices[link]))
                << "seed " << seed << " link " << link;
            if (best.prices[link] > 0.1) ++seen;
        }
    }
    EXPECT_GT(seen, 10);
}

/// Hosts 1 and 2 time units per unit of work, one shared link of bandwidth 6 between them.
network::LinksNetwork pair_of_hosts(network::LinksNetwork::Kind kind) {
    network::LinksNetwork network;
    network.nodes = {{"a", 1.0, 0}, {"b", 2.0, 0}};
    network.links.push_back(
        {"l", network::LinksNetwork::Ends{0, 1}, BytesPerSecond{6}, Seconds{0}, kind});
    return network;
}

TEST(RingRates, of_two_hosts_on_one_link_go_with_the_root_of_their_speeds) {
    const Platform platform(pair_of_hosts(network::LinksNetwork::Kind::bidirectional));
    const auto routes = widest_routes(platform);
    const Problem problem{platform, routes, 100, 1};
    const auto embedding = embed(problem, {0, 1});
    const auto best = optimal_rates(problem, embedding);
    const double slow = 3 / (1 + std::sqrt(2.0));
    EXPECT_NEAR(best.rates.to_successor[0], 3 - slow, 1e-5);
    EXPECT_NEAR(best.rates.to_predecessor[1], slow, 1e-5);
    const double lost = 2 / (3 - slow) + 2 / slow / 2;
    EXPECT_NEAR(best.division.step_time, (100 + lost) / 1.5, 1e-7);
    EXPECT_NEAR(best.prices[0], lost / 6, 1e-5);  // what is lost goes with 1 / bandwidth
    const auto fair = max_min_rates(problem, embedding);
    EXPECT_DOUBLE_EQ(fair.to_successor[0], 1.5);
    EXPECT_DOUBLE_EQ(fair.to_predecessor[1], 1.5);
}

TEST(RingRates, where_messages_are_all_that_counts_make_both_hosts_take_as_long) {
    const Platform platform(pair_of_hosts(network::LinksNetwork::Kind::bidirectional));
    const auto routes = widest_routes(platform);
    const Problem problem{platform, routes, 1e-9, 1};
    const auto best = optimal_rates(problem, embed(problem, {0, 1}));
    EXPECT_NEAR(best.division.step_time, 4.0 / 3, 1e-8);  // four paths with 1.5 each
    EXPECT_NEAR(best.division.shares[0] + best.division.shares[1], 1, 1e-12);
}

TEST(RingRates, on_a_backbone_are_what_it_has_for_each_path) {
    const Platform platform(pair_of_hosts(network::LinksNetwork::Kind::backbone));
    const auto routes = widest_routes(platform);
    const Problem problem{platform, routes, 100, 1};
    const auto embedding = embed(problem, {0, 1});
    for (const auto& rates :
         {max_min_rates(problem, embedding), optimal_rates(problem, embedding).rates})
        for_each_path(embedding, rates,
                      [](std::size_t, const Path&, double rate) { EXPECT_NEAR(rate, 6, 1e-5); });
    // Each of four paths loses 1 / 6 of its host's time for each message.
    EXPECT_NEAR(optimal_rates(problem, embedding).prices[0], 2 * (1 + 0.5) / 36, 1e-5);
}

TEST(RingRates, of_routes_that_cross_nothing_have_no_limit) {
    network::LinksNetwork network;
    network.nodes = {{"a", 1.0, 2}, {"b", 2.0, 0}};
    network.routes = {{0, 1, {}}, {1, 0, {}}};
    const Platform platform(network);
    const auto routes = widest_routes(platform);
    const Problem problem{platform, routes, 100, 1};
    const auto best = optimal_rates(problem, embed(problem, {0, 1}));
    EXPECT_EQ(best.rates.to_successor[0], infinity);
    EXPECT_NEAR(best.division.step_time, (100 + 4 + 2) / 1.5, 1e-9);
    EXPECT_EQ(max_min_rates(problem, embed(problem, {0, 1})).to_predecessor.size(), 2U);

    const auto alone = optimal_rates(problem, embed(problem, {1}));
    EXPECT_TRUE(alone.rates.to_successor.empty());
    EXPECT_DOUBLE_EQ(alone.division.step_time, 200);
}

TEST(RingRates, that_are_max_min_fair_leave_each_path_a_full_link_where_none_has_more) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const RandomRing ring(seed, range_of(3 + seed % 9, 100), 1, seed % 3 == 0);
        const auto rates = max_min_rates(ring.problem, ring.embedding);
        std::vector<double> used(ring.platform.links(), 0);
        std::vector<double> most(ring.platform.links(), 0);
        for_each_path(ring.embedding, rates, [&](std::size_t, const Path& path, double rate) {
            for (const LinkId link : path) {
                used[link] += rate;
                most[link] = std::max(most[link], rate);
            }
        });
        for_each_path(ring.embedding, rates, [&](std::size_t, const Path& path, double rate) {
            EXPECT_TRUE(std::ranges::any_of(path,
                                            [&](LinkId id) {
                                                const auto& link = ring.platform.link(id);
                                                const double full = link.bandwidth * (1 - 1e-9);
                                                return link.shared
                                                           ? used[id] >= full &&
                                                                 most[id] <= rate * (1 + 1e-9)
                                                           : rate >= full;
                                            }))
                << "seed " << seed;
        });
    }
}

}  // namespace
}  // namespace espalier::ring
