#include "sender/distinct_search.hpp"
#include "support/sender_oracle.hpp"
#include "support/sender_problems.hpp"
#include "support/sender_schedules.hpp"

#include <gtest/gtest.h>

#include <set>

namespace espalier::sender {
namespace {

using espalier::testing::certificate_of;
using espalier::testing::flaw_of;
using espalier::testing::least_makespan_of_orders;
using espalier::testing::nodes_of;
using espalier::testing::random_nodes;
using espalier::testing::simulated;

std::vector<double> distinct_times(Random& random, std::size_t nodes, bool real) {
    std::set<double> times;
    while (times.size() < nodes)
        times.insert(real ? random.uniform(1, 10) : static_cast<double>(1 + random.below(100)));
    return {times.begin(), times.end()};
}

TEST(DistinctSearch, finds_and_proves_what_trying_everything_finds) {
    Random random(1);
    for (int round = 0; round < 5; ++round)
        for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce})
            for (const bool any_root : {true, false})
                for (const bool real : {true, false}) {
                    const Problem problem = random_nodes(random, kind,
                                                         {.least = 2,
                                                          .most = 7,
                                                          .classes = 1 + random.below(9),
                                                          .real = real,
                                                          .any_root = any_root,
                                                          .ports = 1 + random.below(3)});
                    const Result result = distinct_search(problem, {.work = 300'000'000});
                    EXPECT_TRUE(result.optimal);
                    EXPECT_NEAR(result.makespan, least_makespan_of_orders(problem), 1e-9);
                    EXPECT_EQ(result.lower_bound, result.makespan);
                    EXPECT_NEAR(simulated(problem, result.sequence), result.makespan, 1e-9);
                }
}

TEST(DistinctSearch, proves_broadcasts_among_sixteen_distinct_nodes) {
    Random random(2);
    for (const bool real : {true, false}) {
        const Problem problem =
            nodes_of(schedule::Kind::broadcast, distinct_times(random, 16, real));
        const Result result = distinct_search(problem, {.time = Seconds(1e6)});
        EXPECT_TRUE(result.optimal);
        EXPECT_NEAR(simulated(problem, result.sequence), result.makespan, 1e-9);
        ASSERT_TRUE(result.proof);
        EXPECT_EQ(flaw_of(problem, *result.proof), std::nullopt);
        EXPECT_LE(certificate_of(problem, *result.proof).lower_bound(),
                  result.makespan * (1 + 1e-12));
    }
}

TEST(DistinctSearch, that_is_cut_short_claims_no_more_than_it_knows) {
    Random random(3);
    for (int round = 0; round < 2; ++round) {
        const auto times = distinct_times(random, 8, true);
        for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce}) {
            const Problem problem = nodes_of(kind, times, times[random.below(8)]);
            const double least = least_makespan_of_orders(problem);
            for (const Limits limits : {Limits{.time = Seconds(0)}, Limits{.work = 0},
                                        Limits{.work = 100'000}, Limits{.work = 3'000'000}}) {
                const Result result = distinct_search(problem, limits);
                EXPECT_LE(result.lower_bound, least * (1 + 1e-12));
                EXPECT_GE(result.makespan, least * (1 - 1e-12));
                if (result.optimal) {
                    EXPECT_NEAR(result.makespan, least, 1e-9);
                }
            }
        }
    }
}

TEST(DistinctSearch, copes_with_times_that_differ_by_a_million_million) {
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce})
        for (const double root : {1.0, 1e12}) {
            const Problem problem = nodes_of(kind, {1, 2.5, 3, 1e12, 7}, root);
            const Result result = distinct_search(problem, {.work = 100'000'000});
            EXPECT_TRUE(result.optimal);
            EXPECT_NEAR(result.makespan, least_makespan_of_orders(problem), 1e-3);
        }
}

TEST(DistinctSearch, has_nothing_to_do_for_one_node) {
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce}) {
        const Result result = distinct_search(nodes_of(kind, {5}, 5.0), {});
        EXPECT_TRUE(result.optimal);
        EXPECT_EQ(result.makespan, 0);
    }
}

}  // namespace
}  // namespace espalier::sender
