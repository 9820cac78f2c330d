#include "measure/method/survey.hpp"

#include "core/random.hpp"
#include "measure/model_link.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace espalier::measure {
namespace {

using test::ModelLink;

/// Affine costs.
ModelLink plain_link(double latency, double bandwidth) {
    return {[=](double) { return latency; },
            [=](double bytes) { return 1e-7 + bytes / bandwidth; }};
}

/// Costs that jump at two sizes, latency up and down, as those of a library with several protocols.
double jump(double bytes, double below, double between, double above) {
    if (bytes >= 40000) return above;
    return bytes >= 3000 ? between : below;
}
double jumping_latency(double bytes) { return jump(bytes, 2, 1.6, 9); }
double jumping_gap(double bytes) { return (1 + bytes) * jump(bytes, 1.2, 2.4, 1); }
ModelLink jumping_link(double latency, double bandwidth) {
    return {[=](double bytes) { return latency * jumping_latency(bytes); },
            [=](double bytes) { return jumping_gap(bytes) / bandwidth; }};
}

SurveyOptions unhurried() {
    SurveyOptions options;
    options.sizes = default_sizes();
    options.deadline = 1e9;
    return options;
}

TEST(Survey, finds_latency_and_gap_of_a_fast_link) {
    ModelLink link = plain_link(50e-6, 125e6);
    const LinkCosts costs = survey(link, unhurried());
    EXPECT_TRUE(costs.complete);
    EXPECT_FALSE(costs.noisy);
    ASSERT_GE(costs.points.size(), default_sizes().size());
    for (const CostPoint& point : costs.points) {
        EXPECT_NEAR(point.latency, 50e-6, 1e-9);
        EXPECT_NEAR(point.gap, 1e-7 + static_cast<double>(point.bytes) / 125e6, 1e-9);
    }
}

TEST(Survey, finds_the_same_of_a_slow_link_with_several_probes_under_way) {
    ModelLink link = plain_link(12e-3, 12.5e6);
    SurveyOptions options = unhurried();
    options.round_trip = 24e-3;
    const LinkCosts costs = survey(link, options);
    EXPECT_TRUE(costs.complete);
    EXPECT_LT(link.volleys, default_sizes().size() + 2);  // alone it would be twice that
    for (const CostPoint& point : costs.points) {
        EXPECT_NEAR(point.latency, 12e-3, 12e-6);
        const double truth = 1e-7 + static_cast<double>(point.bytes) / 12.5e6;
        EXPECT_NEAR(point.gap, truth, 0.01 * truth);
    }
}

TEST(Survey, probes_that_met_do_not_count) {
    // Messages of 3000 bytes and more overtake smaller ones, which no estimate foresees.
    ModelLink link = jumping_link(10e-3, 10e6);
    SurveyOptions options = unhurried();
    options.round_trip = 40e-3;
    const LinkCosts costs = survey(link, options);
    for (const CostPoint& point : costs.points) {
        const auto bytes = static_cast<double>(point.bytes);
        EXPECT_NEAR(point.gap, jumping_gap(bytes) / 10e6, 0.02 * point.gap) << bytes;
        EXPECT_NEAR(point.latency, 10e-3 * jumping_latency(bytes), 0.01 * point.latency) << bytes;
    }
}

TEST(Survey, adds_sizes_where_costs_bend) {
    ModelLink link = jumping_link(50e-6, 100e6);
    SurveyOptions options = unhurried();
    const std::size_t plain = survey(link, options).points.size();
    options.refinements = 60;
    const LinkCosts costs = survey(link, options);
    EXPECT_GT(costs.points.size(), plain);
    const network::PLogP fitted = fit(costs);
    for (const std::uint64_t bytes : {2900U, 3100U, 5000U, 38000U, 42000U, 70000U, 1000000U}) {
        const double truth = jumping_gap(static_cast<double>(bytes)) / 100e6;
        EXPECT_NEAR(fitted.gap(Bytes(bytes)).value, truth, 0.05 * truth) << bytes;
    }
}

TEST(Survey, keeps_its_deadline_and_says_that_it_is_incomplete) {
    for (const double budget : {0.3, 0.6, 1.0, 3.0}) {
        ModelLink link = jumping_link(12e-3, 12.5e6);
        SurveyOptions options = unhurried();
        options.round_trip = 48e-3;
        options.deadline = link.now() + budget;
        const LinkCosts costs = survey(link, options);
        // What a size that was never tried takes can't be known exactly.
        EXPECT_LE(link.now(), options.deadline + 0.15) << budget;
        EXPECT_FALSE(costs.points.empty());
        if (budget < 0.5) {
            EXPECT_FALSE(costs.complete);
        }
    }
}

TEST(Survey, measures_nothing_where_there_is_no_time_at_all) {
    ModelLink link = plain_link(12e-3, 12.5e6);
    SurveyOptions options = unhurried();
    options.round_trip = 24e-3;
    options.deadline = link.now() + 0.01;
    EXPECT_TRUE(survey(link, options).points.empty());
    EXPECT_EQ(link.volleys, 0U);
    options.at_any_rate = true;
    EXPECT_GE(survey(link, options).points.size(), 2U);
}

TEST(Survey, what_it_has_no_time_for_is_drawn_after_the_shape_of_another_link) {
    ModelLink fast = jumping_link(50e-6, 100e6);
    SurveyOptions options = unhurried();
    options.refinements = 60;
    const LinkCosts inside = survey(fast, options);

    ModelLink slow = jumping_link(10e-3, 10e6);
    SurveyOptions hurried = unhurried();
    hurried.shape = Shape(inside.points);
    hurried.round_trip = 40e-3;
    hurried.deadline = slow.now() + 0.45;
    const LinkCosts drawn = survey(slow, hurried);
    EXPECT_TRUE(drawn.complete);
    const network::PLogP fitted = fit(drawn);
    for (const std::uint64_t bytes :
         {64U, 2000U, 2900U, 3100U, 30000U, 50000U, 100000U, 1000000U}) {
        const auto size = static_cast<double>(bytes);
        const double gap = jumping_gap(size) / 10e6;
        EXPECT_NEAR(fitted.gap(Bytes(bytes)).value, gap, 0.05 * gap) << bytes;
        const double latency = 10e-3 * jumping_latency(size);
        EXPECT_NEAR(fitted.latency(Bytes(bytes)).value, latency, 0.05 * latency) << bytes;
    }
}

TEST(Survey, sees_through_noise_that_only_adds) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        ModelLink link = plain_link(50e-6, 125e6);
        Random random(seed);
        // Mostly a few percent, now and then a process that was not running.
        link.noise = [&random] { return random.uniform() < 0.1 ? 2e-3 : 3e-6 * random.uniform(); };
        const LinkCosts costs = survey(link, unhurried());
        EXPECT_TRUE(costs.noisy);
        const network::PLogP fitted = fit(costs);
        EXPECT_NEAR(fitted.latency(Bytes(1)).value, 50e-6, 5e-6);
        double previous = 0;
        for (const std::uint64_t bytes : {1024U, 8192U, 65536U, 1U << 20U}) {
            const double truth = 1e-7 + static_cast<double>(bytes) / 125e6;
            const double gap = fitted.gap(Bytes(bytes)).value;
            EXPECT_NEAR(gap, truth, 0.1 * truth) << bytes;
            EXPECT_GE(gap, previous);
            previous = gap;
        }
    }
}

}  // namespace
}  // namespace espalier::measure
