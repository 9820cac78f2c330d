#include "measure/method/fit.hpp"

#include "measure/method/shape.hpp"

#include <gmock/gmock.h>

namespace espalier::measure {
namespace {

using testing::ElementsAre;

LinkCosts costs_of(const std::vector<CostPoint>& points) {
    LinkCosts costs;
    costs.points = points;
    return costs;
}

TEST(Fit, a_latency_that_hardly_varies_is_one_number) {
    const auto link =
        fit(costs_of({{1, 1.00e-3, 1e-6}, {64, 1.01e-3, 2e-6}, {128, 0.99e-3, 3e-6}}));
    EXPECT_TRUE(link.latency.is_constant());
    EXPECT_DOUBLE_EQ(link.latency(Bytes(500)).value, 1.00e-3);
}

TEST(Fit, a_latency_that_varies_within_its_noise_is_one_number) {
    const auto link = fit(costs_of({{1, 1e-3, 1e-6, 1e-4}, {64, 1.3e-3, 2e-6, 1e-4}}));
    EXPECT_TRUE(link.latency.is_constant());
}

TEST(Fit, a_latency_that_depends_on_size_is_a_table_that_ends_level) {
    const auto link = fit(costs_of({{1, 1e-3, 1e-6}, {64, 1e-3, 2e-6}, {128, 5e-3, 3e-6}}));
    EXPECT_DOUBLE_EQ(link.latency(Bytes(64)).value, 1e-3);
    EXPECT_DOUBLE_EQ(link.latency(Bytes(128)).value, 5e-3);
    EXPECT_DOUBLE_EQ(link.latency(Bytes(1 << 20)).value, 5e-3);
}

TEST(Fit, sizes_that_their_neighbours_tell_are_left_out) {
    const auto link = fit(costs_of({{0, 1e-3, 0},
                                    {100, 1e-3, 1e-5},
                                    {200, 1e-3, 2e-5},
                                    {300, 1e-3, 3e-5},
                                    {400, 1e-3, 6e-5}}));
    EXPECT_EQ(link.gap.entries().size(), 3U);
    EXPECT_DOUBLE_EQ(link.gap(Bytes(100)).value, 1e-5);
}

TEST(Fit, a_gap_never_falls_past_its_last_entry) {
    const auto link = fit(costs_of({{1, 1e-3, 1e-6}, {100, 1e-3, 5e-5}, {200, 1e-3, 4e-5}}));
    EXPECT_GE(link.gap(Bytes(1 << 20)).value, 5e-5);
}

TEST(Fit, on_a_noisy_clock_the_gap_never_falls) {
    LinkCosts costs =
        costs_of({{1, 1e-3, 1e-5}, {100, 1e-3, 5e-5}, {200, 1e-3, 3e-5}, {300, 1e-3, 9e-5}});
    EXPECT_LT(fit(costs).gap(Bytes(200)).value, fit(costs).gap(Bytes(100)).value);
    costs.noisy = true;
    EXPECT_DOUBLE_EQ(fit(costs).gap(Bytes(100)).value, 4e-5);
    EXPECT_DOUBLE_EQ(fit(costs).gap(Bytes(200)).value, 4e-5);
}

TEST(Fit, telling_sizes_are_those_at_which_either_cost_bends) {
    EXPECT_THAT(telling_sizes(costs_of({{0, 1, 1},
                                        {100, 1, 2},
                                        {200, 1, 3},
                                        {300, 1, 8},
                                        {400, 1, 13},
                                        {500, 2, 18},
                                        {600, 3, 23}}),
                              0.05),
                ElementsAre(0, 200, 400, 600));
}

const Shape bent({{1, 1e-3, 1e-6}, {1000, 1e-3, 1e-3}, {1001, 4e-3, 3e-3}, {2000, 4e-3, 6e-3}});

TEST(Shape, scales_its_costs_by_the_ratios_of_what_was_measured) {
    const std::vector<CostPoint> measured{{1, 2e-3, 1e-5}, {2000, 8e-3, 6e-2}};
    const CostPoint before = bent.scaled(1000, measured);
    EXPECT_DOUBLE_EQ(before.latency, 2e-3);
    EXPECT_DOUBLE_EQ(before.gap, 1e-2);
    EXPECT_DOUBLE_EQ(bent.scaled(1001, measured).gap, 3e-2);
    EXPECT_DOUBLE_EQ(bent.scaled(4000, measured).latency, 8e-3);
}

TEST(Shape, mixes_ratios_that_differ) {
    const std::vector<CostPoint> measured{{1, 1e-3, 1e-6}, {2000, 12e-3, 6e-3}};
    EXPECT_NEAR(bent.scaled(1000, measured).latency, 2e-3, 2e-6);
}

TEST(Shape, holds_where_all_ratios_agree) {
    EXPECT_TRUE(bent.holds({{1, 2e-3, 1e-5}, {2000, 8.1e-3, 6e-2}}, 0.03));
    EXPECT_FALSE(bent.holds({{1, 2e-3, 1e-5}, {2000, 9e-3, 6e-2}}, 0.03));
    EXPECT_FALSE(bent.holds({{1, 2e-3, 1e-5}, {2000, 8e-3, 7e-2}}, 0.03));
}

TEST(Shape, completes_what_was_measured_only_between_like_ratios) {
    EXPECT_EQ(bent.completed({{1, 2e-3, 1e-5}, {2000, 8e-3, 6e-2}}).size(), 4U);
    EXPECT_EQ(bent.completed({{1, 2e-3, 1e-5}, {2000, 8e-3, 20e-2}}).size(), 2U);
}

LinkCosts noisy_link() {
    LinkCosts costs;
    costs.noisy = true;
    // What the clock of a busy machine gives of 10 MB/s and 12 ms; the last one is only drawn.
    costs.points = {{1, 11e-3, 4e-5, 1e-3, 1e-4, 12.0e-3},
                    {512, 0, 2e-2, 1e-3, 1e-4, 13.0e-3},
                    {32768, 0, 9e-3, 1e-3, 1e-4, 16.0e-3},
                    {262144, 5e-3, 9e-2, 1e-3, 1e-4, 64.2e-3},
                    {4194304, 0.5, 1.5, 1e-3, 1e-4, 0}};
    return costs;
}

TEST(FollowStream, makes_the_gap_a_line_to_the_pace_of_the_stream) {
    LinkCosts costs = noisy_link();
    follow_stream(costs, {10e6, 12e-3, 1});
    const network::PLogP link = fit(costs);
    EXPECT_NEAR(link.gap(Bytes(1)).value, 4e-5, 1e-6);
    for (const std::uint64_t bytes : {32768U, 65536U, 1048576U, 4194304U, 16777216U}) {
        const double truth = static_cast<double>(bytes) / 10e6;
        EXPECT_NEAR(link.gap(Bytes(bytes)).value, truth, 0.01 * truth) << bytes;
    }
}

TEST(FollowStream, leaves_to_the_latency_what_single_messages_took_beyond_the_gap) {
    LinkCosts costs = noisy_link();
    follow_stream(costs, {10e6, 12e-3, 1});
    // 13 ms of 512 bytes are noise, as larger ones need no longer; of 256 KiB, 38 ms are.
    std::vector<double> latencies;
    for (const CostPoint& point : costs.points) latencies.push_back(point.latency);
    EXPECT_THAT(latencies,
                testing::ElementsAre(testing::DoubleNear(12e-3, 1e-6), testing::Lt(12.9e-3),
                                     testing::Lt(12.9e-3), testing::DoubleNear(38e-3, 1e-4),
                                     testing::DoubleNear(38e-3, 1e-4)));
}

TEST(FollowStream, draws_a_link_that_nobody_had_time_for) {
    LinkCosts costs;
    follow_stream(costs, {10e6, 12e-3, 2e-5});
    EXPECT_TRUE(costs.complete);
    const network::PLogP link = fit(costs);
    EXPECT_TRUE(link.latency.is_constant());
    EXPECT_DOUBLE_EQ(link.latency(Bytes(1)).value, 12e-3);
    EXPECT_NEAR(link.gap(Bytes(1)).value, 2e-5, 1e-6);
    EXPECT_NEAR(link.gap(Bytes(1 << 20)).value, 0.1048576, 1e-6);
}

TEST(BelieveMeetings, makes_the_latency_what_the_best_of_many_found) {
    LinkCosts costs;
    // 50 us and 50 MB/s; single messages came up to 2 ms late.
    costs.points = {{1, 9e-4, 1e-5, 1e-3, 1e-5, 1.0e-3},
                    {65536, 2e-3, 1.3e-3, 1e-3, 1e-5, 3.3e-3},
                    {262144, 0, 11e-3, 1e-3, 1e-5, 5.4e-3},
                    {1048576, 0, 21e-3, 1e-3, 1e-5, 21.05e-3}};
    LinkCosts exact = costs;
    believe_meetings(exact, 50e-6);
    EXPECT_EQ(exact.points[1].latency, 2e-3);
    costs.noisy = true;
    believe_meetings(costs, 50e-6);
    for (const CostPoint& point : costs.points) EXPECT_NEAR(point.latency, 50e-6, 1e-9);
    EXPECT_NEAR(costs.points[2].gap, 5.35e-3, 1e-9);
}

TEST(BelieveMeetings, leaves_latencies_as_they_are_drawn_and_others_what_was_measured) {
    LinkCosts costs;
    costs.noisy = true;
    costs.points = {{1, 6e-5, 1e-5, 0, 1e-6, 6e-5},
                    {1024, 1.5e-4, 2e-5, 0, 1e-6, 1.7e-4},
                    {4096, 2e-4, 8e-5, 0, 1e-6, 0},
                    {65536, 3e-4, 1.3e-3, 0, 1e-6, 1.6e-3}};
    believe_meetings(costs, 5e-5);
    EXPECT_EQ(costs.points[0].latency, 5e-5);
    EXPECT_NEAR(costs.points[1].latency, 1.5e-4, 1e-9);
    EXPECT_EQ(costs.points[2].latency, 2e-4);
    EXPECT_NEAR(costs.points[3].latency, 3e-4, 1e-9);
}

TEST(Fit, leaves_out_small_bends_on_a_noisy_clock_and_keeps_large_ones) {
    for (const bool large : {false, true}) {
        LinkCosts costs;
        costs.noisy = true;
        const double bend = large ? 1.6 : 1.2;
        costs.points = {{1, 5e-5, 1e-5, 0, 1e-6, 6e-5},
                        {65536, 5e-5, bend * 1.3e-3, 0, 1e-6, 2e-3},
                        {1048576, 5e-5, 20e-3, 0, 1e-6, 20e-3}};
        const double gap = fit(costs).gap(Bytes(65536)).value;
        EXPECT_NEAR(gap, large ? bend * 1.3e-3 : 1.26e-3, 2e-5);
    }
}

TEST(FollowStream, changes_nothing_without_noise_or_without_a_stream) {
    LinkCosts costs = noisy_link();
    follow_stream(costs, {0, 12e-3, 1});
    EXPECT_EQ(costs.points[1].gap, 2e-2);
    costs.noisy = false;
    follow_stream(costs, {10e6, 12e-3, 1});
    EXPECT_EQ(costs.points[1].gap, 2e-2);
}

}  // namespace
}  // namespace espalier::measure
