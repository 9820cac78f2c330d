#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "network/generate_gusto.hpp"
#include "network/generate_sizes.hpp"
#include "network/json.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <set>

namespace espalier::network {
namespace {

using ::testing::HasSubstr;

/// Calls `check` with start-up and bandwidth of each pair.
void for_each_pair(const PairwiseNetwork& network,
                   const std::function<void(double startup, double bandwidth)>& check) {
    for (std::size_t from = 0; from < network.size(); ++from)
        for (std::size_t to = 0; to < network.size(); ++to) {
            ASSERT_EQ(network.startup(from, to).has_value(), from != to);
            ASSERT_EQ(network.bandwidth(from, to).has_value(), from != to);
            if (from != to)
                check(network.startup(from, to)->value, network.bandwidth(from, to)->value);
        }
}

TEST(RandomGusto, draws_evenly_from_the_ranges_of_tables_1_and_2) {
    Random random(1);
    double startup = 0;
    double bandwidth = 0;
    constexpr std::size_t n = 150;
    for_each_pair(random_gusto({.nodes = n}, random), [&](double t, double b) {
        ASSERT_TRUE(t >= 0.0045 && t < 0.0895 && b >= 30750 && b < 622000);
        startup += t / (n * (n - 1));
        bandwidth += b / (n * (n - 1));
    });
    // Means of 11,175 draws: within five standard errors.
    const double error = 5 / std::sqrt(12.0 * n * (n - 1) / 2);
    EXPECT_NEAR(startup, 0.047, error * 0.085);
    EXPECT_NEAR(bandwidth, 326375, error * 591250);
}

TEST(RandomGusto, draws_logarithms_evenly_where_asked_for) {
    Random random(2);
    double startup = 0;
    double bandwidth = 0;
    constexpr std::size_t n = 150;
    for_each_pair(random_gusto({.nodes = n, .draw = Draw::log}, random), [&](double t, double b) {
        ASSERT_TRUE(t >= 0.0045 && t <= 0.0895 && b >= 30750 && b <= 622000);
        startup += std::log(t) / (n * (n - 1));
        bandwidth += std::log(b) / (n * (n - 1));
    });
    const double error = 5 / std::sqrt(12.0 * n * (n - 1) / 2);
    EXPECT_NEAR(startup, std::log(0.0045 * 0.0895) / 2, error * std::log(0.0895 / 0.0045));
    EXPECT_NEAR(bandwidth, std::log(30750.0 * 622000) / 2, error * std::log(622000.0 / 30750));
}

TEST(RandomGusto, has_one_draw_for_both_directions_unless_told_otherwise) {
    for (const bool symmetric : {true, false}) {
        Random random(3);
        const auto network = random_gusto({.nodes = 9, .symmetric = symmetric}, random);
        for (std::size_t i = 0; i < 9; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                EXPECT_EQ(network.startup(i, j) == network.startup(j, i), symmetric);
                EXPECT_EQ(network.bandwidth(i, j) == network.bandwidth(j, i), symmetric);
            }
    }
}

TEST(RandomGusto, makes_one_network_of_one_seed_and_reads_back_from_its_file) {
    const auto text = [](std::uint64_t seed) {
        Random random(seed);
        return to_json(Network(random_gusto({.nodes = 4}, random))).dump();
    };
    EXPECT_EQ(text(42), text(42));
    EXPECT_NE(text(42), text(43));
    EXPECT_EQ(to_json(parse_network(text(42), "gusto.json")).dump(), text(42));
}

TEST(RandomGusto, refuses_ranges_that_are_none) {
    const auto fault = [](const RandomGustoOptions& options) -> std::string {
        try {
            Random random(1);
            static_cast<void>(random_gusto(options, random));
        } catch (const InputError& error) {
            return error.what();
        }
        return "none";
    };
    const auto rate = [](double value) { return BytesPerSecond(value); };
    EXPECT_THAT(fault({.nodes = 0}), HasSubstr("nodes"));
    EXPECT_THAT(fault({.startup = {Seconds(2), Seconds(1)}}), HasSubstr("startup"));
    EXPECT_THAT(fault({.startup = {Seconds(-1), Seconds(1)}}), HasSubstr("startup"));
    EXPECT_THAT(fault({.startup = {Seconds(0), Seconds(1)}, .draw = Draw::log}),
                HasSubstr("startup"));
    EXPECT_THAT(fault({.bandwidth = {rate(0), rate(1)}}), HasSubstr("bandwidth"));
    EXPECT_THAT(fault({.bandwidth = {rate(1), rate(INFINITY)}}), HasSubstr("bandwidth"));
    EXPECT_EQ(fault({.startup = {Seconds(0), Seconds(0)}, .bandwidth = {rate(5), rate(5)}}),
              "none");
}

std::set<std::uint64_t> values_of(const Matrix<Bytes>& sizes) {
    std::set<std::uint64_t> values;
    for (std::size_t i = 0; i < sizes.rows(); ++i)
        for (std::size_t j = 0; j < sizes.columns(); ++j)
            if (i != j) values.insert(sizes(i, j).value);
    return values;
}

TEST(RandomSizes, leave_nothing_to_oneself) {
    Random random(4);
    using enum SizePattern;
    for (const auto pattern : {small, large, uniform, mixed, servers}) {
        const auto sizes = random_sizes({.nodes = 12, .pattern = pattern}, random);
        for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(sizes(i, i), Bytes(0));
    }
}

TEST(RandomSizes, of_the_patterns_small_and_large_are_all_alike) {
    Random random(5);
    EXPECT_EQ(values_of(random_sizes({.pattern = SizePattern::small}, random)),
              std::set<std::uint64_t>{1000});
    EXPECT_EQ(values_of(random_sizes({.pattern = SizePattern::large}, random)),
              std::set<std::uint64_t>{1000000});
}

TEST(RandomSizes, mixed_are_large_half_of_the_time) {
    Random random(6);
    const auto sizes = random_sizes({.nodes = 100, .pattern = SizePattern::mixed}, random);
    double large = 0;
    for (std::size_t i = 0; i < 100; ++i)
        for (std::size_t j = 0; j < 100; ++j) large += sizes(i, j) == Bytes(1000000) ? 1 : 0;
    EXPECT_NEAR(large / 9900, 0.5, 5 * 0.5 / std::sqrt(9900.0));
    EXPECT_EQ(values_of(sizes), (std::set<std::uint64_t>{1000, 1000000}));
}

TEST(RandomSizes, uniform_reach_from_the_small_to_the_large_one) {
    Random random(7);
    const RandomSizesOptions options{
        .nodes = 60, .pattern = SizePattern::uniform, .small = Bytes(3), .large = Bytes(6)};
    EXPECT_EQ(values_of(random_sizes(options, random)), (std::set<std::uint64_t>{3, 4, 5, 6}));
}

TEST(RandomSizes, servers_send_much_to_those_that_are_none) {
    Random random(8);
    std::set<std::size_t> seen;
    for (int round = 0; round < 40; ++round) {
        const auto sizes = random_sizes({.nodes = 10, .pattern = SizePattern::servers}, random);
        std::set<std::size_t> servers;
        for (std::size_t i = 0; i < 10; ++i)
            for (std::size_t j = 0; j < 10; ++j)
                if (sizes(i, j) == Bytes(1000000)) servers.insert(i);
        ASSERT_EQ(servers.size(), 2);
        for (std::size_t i = 0; i < 10; ++i)
            for (std::size_t j = 0; j < 10; ++j)
                EXPECT_EQ(sizes(i, j) == Bytes(1000000),
                          servers.contains(i) && !servers.contains(j));
        seen.insert(servers.begin(), servers.end());
    }
    EXPECT_EQ(seen.size(), 10) << "each node serves now and then";
}

TEST(RandomSizes, refuse_what_is_no_size_and_no_part) {
    Random random(9);
    const auto make = [&](const RandomSizesOptions& options) {
        static_cast<void>(random_sizes(options, random));
    };
    EXPECT_THROW(make({.nodes = 0}), InputError);
    EXPECT_THROW(make({.small = Bytes(2), .large = Bytes(1)}), InputError);
    EXPECT_THROW(make({.servers = 1.5}), InputError);
}

}  // namespace
}  // namespace espalier::network
