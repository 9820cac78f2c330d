// The search and the enumeration between clusters, and the bound of slot prices, against the least
// makespan of all orders.

#include "core/infinity.hpp"
#include "plan/algorithm.hpp"
#include "plan/grid/exact.hpp"
#include "plan/grid/optimal.hpp"
#include "plan/grid/search.hpp"
#include "schedule/validate.hpp"
#include "simulate/simulate.hpp"
#include "simulate/slot_prices.hpp"
#include "support/grid_oracle.hpp"
#include "support/grid_problems.hpp"
#include "support/grid_schedules.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace espalier {
namespace {

using plan::grid::Found;
using plan::grid::makespan;
using plan::grid::Order;
using plan::grid::Problem;

/// Every kind of instance in turn: Table 3's, wild ones, latency-bound ones, full of ties, without
/// latencies and inner broadcasts, symmetric with free sends; with one to three ports.
Problem draw(Random& random, int turn, std::size_t clusters) {
    Problem problem;
    switch (turn % 6) {
        case 0:
            problem = testing::random_problem(random, clusters);
            break;
        case 1:
            problem = testing::random_problem(random, clusters, {{0, 1}, {0, 1}, {0, 1}});
            break;
        case 2:
            problem = testing::random_problem(random, clusters, {{1, 100}, {1, 2}, {0, 10}});
            break;
        case 3:
            problem = testing::random_problem_with_ties(random, clusters, 1 + random.below(4));
            break;
        case 4:
            problem = testing::random_problem(random, clusters, {{0, 0}, {0.1, 0.6}, {0, 0}});
            break;
        default:
            problem = testing::random_problem_with_ties(random, clusters, 3);
            for (std::size_t i = 0; i < clusters; ++i) {
                problem.inner[i] -= 1;
                for (std::size_t j = 0; j < i; ++j) {
                    problem.gap(i, j) = problem.gap(j, i) -= 1;
                    problem.latency(i, j) = problem.latency(j, i);
                }
            }
    }
    problem.ports = turn % 5 == 0 ? 1 + random.below(3) : 1;
    return problem;
}

TEST(GridSearchProperty, is_proven_optimal_where_all_orders_say_so) {
    Random random(31);
    for (int turn = 0; turn < 1500; ++turn) {
        const Problem problem = draw(random, turn, 1 + random.below(5));
        const double least = testing::least_makespan_of_all(problem);
        const Found found = plan::grid::optimal(problem, {});
        SCOPED_TRACE(turn);
        ASSERT_TRUE(found.optimal);
        ASSERT_NEAR(makespan(problem, found.order), least, 1e-9 * least);
        ASSERT_LE(found.lower_bound, least * (1 + 1e-11));
    }
}

TEST(GridSearchProperty, is_proven_optimal_among_more_clusters_as_another_enumeration_says) {
    Random random(32);
    for (int turn = 0; turn < 200; ++turn) {
        const Problem problem = draw(random, turn % 2, 8);
        const double least = testing::least_makespan(problem);
        const Found found = plan::grid::optimal(problem, {});
        ASSERT_TRUE(found.optimal) << turn;
        ASSERT_NEAR(makespan(problem, found.order), least, 1e-9 * least) << turn;
    }
}

TEST(GridSearchProperty, enumerates_without_help_what_it_proves) {
    Random random(33);
    for (int turn = 0; turn < 600; ++turn) {
        const Problem problem = draw(random, turn, 2 + random.below(4));
        const double least = testing::least_makespan_of_all(problem);
        if (least == 0) continue;
        const auto never = [](std::size_t) { return false; };
        const auto found = plan::grid::enumerate_orders(problem, 3 * least, {}, never);
        ASSERT_TRUE(found.complete);
        ASSERT_FALSE(found.order.empty()) << turn;
        ASSERT_NEAR(makespan(problem, found.order), least, 1e-9 * least) << turn;
        const auto none = plan::grid::enumerate_orders(problem, least, {}, never);
        ASSERT_TRUE(none.complete);
        ASSERT_TRUE(none.order.empty()) << turn;
    }
}

TEST(GridSearchProperty, has_a_bound_of_slot_prices_that_no_order_beats) {
    Random random(34);
    double ratio = 0;
    int counted = 0;
    for (int turn = 0; turn < 1500; ++turn) {
        const Problem problem = draw(random, turn, 3 + random.below(3));
        const double least = testing::least_makespan_of_all(problem);
        const double from = plan::grid::bound_of_one(problem);
        ASSERT_LE(from, least * (1 + 1e-12)) << turn;
        const auto priced = simulate::find_prices(plan::grid::each_by_itself(problem), from,
                                                  infinity, {30, 128, 512}, [] { return false; });
        ASSERT_GE(priced.bound, from);
        ASSERT_LE(priced.bound, least * (1 + 1e-11)) << turn;
        if (turn % 6 != 0) continue;
        ratio += least / priced.bound;
        ++counted;
    }
    EXPECT_LT(ratio / counted, 1.004);
}

TEST(GridSearchProperty, needs_few_states_where_all_clusters_are_alike) {
    for (const std::size_t clusters : {9U, 16U, 30U}) {
        Problem problem{.gap = Matrix<double>(clusters, clusters, 1),
                        .latency = Matrix<double>(clusters, clusters, 0.5),
                        .inner = std::vector<double>(clusters, 2)};
        const Found found = plan::grid::optimal(problem, {});
        EXPECT_TRUE(found.optimal) << clusters;
        // Receipts at 1.5, 2.5, 3, 3.5, 4, 4, 4.5 and 4.5 if all send on at once.
        if (clusters == 9) {
            EXPECT_DOUBLE_EQ(makespan(problem, found.order), 6.5);
        }
    }
}

TEST(GridSearchProperty, is_never_worse_than_the_rules_and_makes_valid_broadcasts) {
    Random random(35);
    for (int turn = 0; turn < 60; ++turn) {
        const Problem problem = draw(random, turn, 2 + random.below(14));
        Limits limits;
        limits.work = 300'000;
        const Found found = plan::grid::search(problem, limits);
        const double end = makespan(problem, found.order);
        ASSERT_LE(found.lower_bound, end * (1 + 1e-11));
        for (const auto& algorithm : plan::algorithms())
            if (const auto* rule = std::get_if<Order (*)(const Problem&)>(&algorithm.make))
                if (algorithm.name != "pipeline") {
                    ASSERT_LE(end, makespan(problem, (*rule)(problem)) * (1 + 1e-12))
                        << turn << ' ' << algorithm.name;
                }
        schedule::Schedule schedule = testing::schedule_of(problem, found.order);
        const network::Network network = testing::network_of(problem);
        ASSERT_NEAR(simulate::simulate(schedule, *simulate::make_fabric(network)).makespan.value,
                    end, 1e-12 * std::max(1.0, end));
        schedule.local.clear();
        ASSERT_FALSE(schedule::find_violation(schedule)) << turn;
    }
}

TEST(GridSearchProperty, repeats_itself_where_work_is_what_limits_it) {
    Random random(36);
    const Problem problem = testing::random_problem(random, 40);
    Limits limits;
    limits.time = Seconds(1000);
    limits.work = 500'000;
    EXPECT_EQ(plan::grid::search(problem, limits).order, plan::grid::search(problem, limits).order);
}

TEST(GridSearchProperty, has_an_order_and_a_bound_when_there_is_no_time) {
    Random random(37);
    for (const std::size_t clusters : {1U, 2U, 3U, 10U, 40U, 100U}) {
        const Problem problem = testing::random_problem(random, clusters);
        for (const auto planner : {plan::grid::search, plan::grid::optimal}) {
            const Found found = planner(problem, {Seconds(0)});
            ASSERT_EQ(found.order.size(), clusters - 1);
            EXPECT_LE(found.lower_bound, makespan(problem, found.order));
            EXPECT_GT(found.lower_bound, 0);
        }
    }
}

}  // namespace
}  // namespace espalier
