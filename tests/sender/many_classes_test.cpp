#include "sender/many_classes.hpp"
#include "sender/greedy.hpp"
#include "support/sender_oracle.hpp"
#include "support/sender_problems.hpp"
#include "support/sender_schedules.hpp"

#include <gtest/gtest.h>

namespace espalier::sender {
namespace {

using espalier::testing::flaw_of;
using espalier::testing::least_makespan_of_orders;
using espalier::testing::nodes_of;
using espalier::testing::random_nodes;
using espalier::testing::simulated;

constexpr std::uint64_t some_work = 80'000'000;

TEST(ManyClasses, bounds_what_trying_everything_finds) {
    Random random(1);
    for (int round = 0; round < 3; ++round)
        for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce})
            for (const bool any_root : {true, false})
                for (const bool real : {true, false}) {
                    const Problem problem = random_nodes(random, kind,
                                                         {.least = 2,
                                                          .most = 7,
                                                          .classes = 1 + random.below(7),
                                                          .real = real,
                                                          .any_root = any_root,
                                                          .ports = 1 + random.below(3)});
                    const Result result = many_classes(problem, {.work = 10'000'000});
                    const double least = least_makespan_of_orders(problem);
                    EXPECT_LE(result.lower_bound, least * (1 + 1e-12));
                    EXPECT_GE(result.makespan, least * (1 - 1e-12));
                    if (result.optimal) {
                        EXPECT_NEAR(result.makespan, least, 1e-9);
                    }
                    EXPECT_NEAR(simulated(problem, result.sequence), result.makespan, 1e-9);
                    if (result.proof) {
                        EXPECT_EQ(flaw_of(problem, *result.proof), std::nullopt);
                    }
                }
}

TEST(ManyClasses, comes_within_some_per_cent_of_its_bound_among_thousands_of_distinct_nodes) {
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce}) {
        Random random(2);
        std::vector<double> times;
        for (int i = 0; i < 3000; ++i) times.push_back(random.uniform(1, 10));
        const auto root = kind == schedule::Kind::reduce ? std::optional(times[100]) : std::nullopt;
        const Problem problem = nodes_of(kind, times, root);
        const Result result = many_classes(problem, {.time = Seconds(1e6), .work = some_work});
        const Result first = greedy(problem);
        EXPECT_LE(result.makespan, first.makespan);
        if (problem.is_broadcast()) {
            EXPECT_LT(result.makespan, 0.99 * first.makespan);
        }
        EXPECT_LT(result.makespan, 1.06 * result.lower_bound);
        ASSERT_TRUE(result.proof);
        EXPECT_EQ(flaw_of(problem, *result.proof), std::nullopt);
        EXPECT_NEAR(simulated(problem, result.sequence), result.makespan, 1e-9 * result.makespan);
    }
}

TEST(ManyClasses, stops_when_told_to_with_a_sound_bound) {
    Random random(3);
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce}) {
        const Problem problem = random_nodes(random, kind, {.least = 6, .most = 7, .classes = 7});
        for (const Limits limits : {Limits{.time = Seconds(0)}, Limits{.work = 0}}) {
            const Result result = many_classes(problem, limits);
            EXPECT_LE(result.lower_bound, least_makespan_of_orders(problem) * (1 + 1e-12));
        }
    }
}

TEST(ManyClasses, copes_with_times_that_differ_by_a_million_million) {
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce})
        for (const double root : {1.0, 1e12}) {
            const Problem problem = nodes_of(kind, {1, 2.5, 3, 1e12, 1e6, 7}, root);
            const Result result = many_classes(problem, {.work = 30'000'000});
            EXPECT_LE(result.lower_bound, least_makespan_of_orders(problem) * (1 + 1e-12));
            EXPECT_GT(result.lower_bound, 0);
        }
}

TEST(ManyClasses, takes_a_million_million_nodes_of_two_classes) {
    const Problem problem{.classes = {{1.0, 1'000'000'000'000}, {1.37, 1'000'000'000'000}}};
    const Result result = many_classes(problem, {.work = 30'000'000});
    EXPECT_LE(result.lower_bound, result.makespan);
    EXPECT_GT(result.lower_bound, 0.9 * result.makespan);
}

}  // namespace
}  // namespace espalier::sender
