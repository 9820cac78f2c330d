// The sharing of four paths against bounds that any prices of bandwidth give, and closed forms.
#include "core/infinity.hpp"
#include "ring/allocation.hpp"
#include "ring/routes.hpp"
#include "ring/widest_path.hpp"

#include "core/random.hpp"
#include "support/random_platforms.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <string>

namespace espalier::ring {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;

struct Instance {
    FourRates weights{};
    FourRates widths{};
    std::vector<FourRates> rows;
    std::vector<double> capacities;
};

Instance random_instance(Random& random) {
    Instance instance;
    for (std::size_t path = 0; path < 4; ++path) {
        instance.weights[path] = random.uniform(0.1, 2);
        instance.widths[path] = random.uniform(0.2, 4);
    }
    const std::size_t rows = 1 + random.below(8);
    for (std::size_t row = 0; row < rows; ++row) {
        FourRates times{};
        for (double& one : times)
            one = static_cast<double>(random.below(3) == 0 ? 2 : random.below(2));
        if (times == FourRates{}) times[row % 4] = 1;
        instance.rows.push_back(times);
        instance.capacities.push_back(random.uniform(0.2, 6));
    }
    return instance;
}

double cost(const Instance& instance, const FourRates& rates) {
    double sum = 0;
    for (std::size_t path = 0; path < 4; ++path) sum += instance.weights[path] / rates[path];
    return sum;
}

/// What the cost is at least, by the dual of the program: each price is set in turn to where its
/// row would just be full.
double bound(const Instance& instance) {
    auto rows = instance.rows;
    auto capacities = instance.capacities;
    for (std::size_t path = 0; path < 4; ++path) {
        rows.emplace_back()[path] = 1;
        capacities.push_back(instance.widths[path]);
    }
    std::vector<double> prices(rows.size(), 1);
    FourRates sums{};
    const auto add = [&](std::size_t row, double price) {
        for (std::size_t path = 0; path < 4; ++path) sums[path] += rows[row][path] * price;
    };
    for (std::size_t row = 0; row < rows.size(); ++row) add(row, 1);
    for (int round = 0; round < 150; ++round) {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            add(row, -prices[row]);
            double low = 0;
            double high = 1e4;
            for (int step = 0; step < 60; ++step) {
                const double price = (low + high) / 2;
                double use = 0;
                for (std::size_t path = 0; path < 4; ++path)
                    if (rows[row][path] > 0)
                        use += rows[row][path] *
                               std::sqrt(instance.weights[path] /
                                         (std::max(sums[path], 0.0) + rows[row][path] * price));
                (use > capacities[row] ? low : high) = price;
            }
            prices[row] = high;
            add(row, prices[row]);
        }
    }
    double value = 0;
    for (std::size_t path = 0; path < 4; ++path)
        value += 2 * std::sqrt(instance.weights[path] * sums[path]);
    for (std::size_t row = 0; row < rows.size(); ++row) value -= prices[row] * capacities[row];
    return value;
}

/// As paths over links between two hosts, one link for each row and each width.
FourRates divided(const Instance& instance) {
    network::LinksNetwork network;
    network.nodes = {{"a", 1.0, 0}, {"b", 1.0, 0}};
    std::vector<double> left;
    std::array<Path, 4> paths;
    const auto add_link = [&](double capacity) {
        network.links.push_back({"l" + std::to_string(left.size()),
                                 network::LinksNetwork::Ends{0, 1}, BytesPerSecond(capacity),
                                 Seconds(0), network::LinksNetwork::Kind::bidirectional});
        left.push_back(capacity);
        return static_cast<LinkId>(left.size() - 1);
    };
    for (std::size_t row = 0; row < instance.rows.size(); ++row) {
        const LinkId link = add_link(instance.capacities[row]);
        for (std::size_t path = 0; path < 4; ++path)
            paths[path].insert(paths[path].end(),
                               static_cast<std::size_t>(instance.rows[row][path]), link);
    }
    for (std::size_t path = 0; path < 4; ++path)
        paths[path].push_back(add_link(instance.widths[path]));
    return four_rates(Platform(network), left, {&paths[0], &paths[1], &paths[2], &paths[3]},
                      instance.weights);
}

TEST(FourPaths, share_links_so_that_no_other_bandwidths_cost_less) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Instance instance = random_instance(random);
        const FourRates rates = divided(instance);
        for (std::size_t path = 0; path < 4; ++path)
            EXPECT_LE(rates[path], instance.widths[path] * (1 + 1e-12));
        for (std::size_t row = 0; row < instance.rows.size(); ++row) {
            double use = 0;
            for (std::size_t path = 0; path < 4; ++path)
                use += instance.rows[row][path] * rates[path];
            EXPECT_LE(use, instance.capacities[row] * (1 + 1e-12));
        }
        EXPECT_LE(cost(instance, rates), bound(instance) * (1 + 1e-6));
    }
}

TEST(FourPaths, on_one_link_get_bandwidth_by_the_roots_of_their_weights) {
    const FourRates rates = divided({{1, 4, 9, 16}, {99, 99, 99, 99}, {{1, 1, 1, 1}}, {10}});
    EXPECT_THAT(rates, ElementsAre(DoubleNear(1, 1e-12), DoubleNear(2, 1e-12), DoubleNear(3, 1e-12),
                                   DoubleNear(4, 1e-12)));
}

/// h0 and h1 on both sides of a router, h2 behind a backbone.
network::LinksNetwork star() {
    using Links = network::LinksNetwork;
    Links network;
    for (const char* name : {"h0", "h1", "h2"}) network.nodes.push_back({name, 1.0, 0});
    network.nodes.push_back({"r", {}, 0});
    for (std::size_t host = 0; host < 3; ++host)
        network.links.push_back({"l" + std::to_string(host), Links::Ends{host, 3},
                                 BytesPerSecond(8), Seconds(0),
                                 host == 2 ? Links::Kind::backbone : Links::Kind::bidirectional});
    return network;
}

TEST(FourPaths, of_one_host_share_its_link_and_have_backbones_in_full) {
    const Platform platform(star());
    const std::vector<double> left{8, 8, 8};
    const Path alone{0};
    const Path both{0, 1};
    const Path backbone{2};
    EXPECT_THAT(four_rates(platform, left, {&both, &both, &both, &both}, {1, 1, 1, 1}),
                Each(DoubleNear(2, 1e-12)));
    EXPECT_THAT(
        four_rates(platform, left, {&backbone, &backbone, &backbone, &backbone}, {1, 2, 3, 4}),
        Each(8));
    const Path empty;
    EXPECT_THAT(four_rates(platform, left, {&alone, &empty, &alone, &backbone}, {1, 1, 1, 1}),
                ElementsAre(DoubleNear(4, 1e-12), infinity, DoubleNear(4, 1e-12), 8));
}

TEST(FourPaths, count_a_link_as_often_as_a_path_crosses_it) {
    const Platform platform(star());
    const std::vector<double> left{8, 8, 8};
    const Path thrice{0, 0, 0, 1};
    const Path once{1};
    const Path backbone{2, 2};
    const FourRates rates =
        four_rates(platform, left, {&thrice, &once, &backbone, &backbone}, {1, 1, 1, 1});
    // 8 / 3 for the first, and the rest of the other link, as its half would be more.
    EXPECT_THAT(rates, ElementsAre(DoubleNear(8.0 / 3, 1e-12), DoubleNear(16.0 / 3, 1e-12), 8, 8));
}

TEST(FourPaths, get_nothing_where_a_link_has_nothing_left) {
    const Platform platform(star());
    const Path first{0};
    const Path second{1};
    EXPECT_THAT(four_rates(platform, std::vector<double>{8, 0, 8},
                           {&first, &first, &first, &second}, {1, 1, 1, 1}),
                Each(0));
}

TEST(FourPaths, of_random_platforms_cost_no_more_than_equal_shares) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Platform platform(test::random_platform(
            random, {.hosts = 3, .routers = 3, .more_links = 5, .directed = 0.3}));
        std::vector<double> left;
        for (LinkId link = 0; link < platform.links(); ++link)
            left.push_back(platform.link(link).bandwidth * random.uniform(0.2, 1));
        const std::array<Path, 4> paths{
            widest_path(platform, left, 2, 0), widest_path(platform, left, 2, 1),
            widest_path(platform, left, 0, 2), widest_path(platform, left, 1, 2)};
        FourRates weights{};
        for (double& weight : weights) weight = random.uniform(0.1, 1);
        FourRates equal{};
        equal.fill(infinity);
        std::vector<double> crossing(platform.links(), 0);
        for (const Path& path : paths)
            for (const LinkId link : path) crossing[link] += platform.link(link).shared ? 1 : 0;
        for (std::size_t path = 0; path < 4; ++path)
            for (const LinkId link : paths[path])
                equal[path] = std::min(equal[path], left[link] / std::max(crossing[link], 1.0));
        const FourRates rates =
            four_rates(platform, left, {&paths[0], &paths[1], &paths[2], &paths[3]}, weights);
        double shared = 0;
        double equally = 0;
        std::vector<double> used(platform.links(), 0);
        for (std::size_t path = 0; path < 4; ++path) {
            shared += weights[path] / rates[path];
            equally += weights[path] / equal[path];
            for (const LinkId link : paths[path]) {
                EXPECT_LE(rates[path], left[link] * (1 + 1e-12));
                if (platform.link(link).shared) used[link] += rates[path];
            }
        }
        for (LinkId link = 0; link < used.size(); ++link)
            EXPECT_LE(used[link], left[link] * (1 + 1e-12));
        EXPECT_LE(shared, equally * (1 + 1e-12));
    }
}

}  // namespace
}  // namespace espalier::ring
