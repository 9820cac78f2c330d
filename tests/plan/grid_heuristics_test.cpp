#include "plan/algorithm.hpp"
#include "plan/grid/binomial.hpp"
#include "plan/grid/bottom_up.hpp"
#include "plan/grid/ecef.hpp"
#include "plan/grid/fef.hpp"
#include "plan/grid/flat.hpp"
#include "plan/grid/pipeline.hpp"
#include "support/matrix_of.hpp"
#include "support/print_send.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

using plan::grid::Order;
using plan::grid::Problem;
using test::matrix_of;

/// Four clusters on which most heuristics differ. g + L is
///        to 1  to 2  to 3
/// from 0   11     5    15
/// from 1          9     3
/// from 2   16          10
/// from 3   14     9
Problem example() {
    return {.root = 0,
            .gap = matrix_of({{0, 2, 3, 9}, {8, 0, 8, 2}, {5, 8, 0, 6}, {1, 7, 1, 0}}),
            .latency = matrix_of({{0, 9, 2, 6}, {7, 0, 1, 1}, {4, 8, 0, 4}, {2, 7, 8, 0}}),
            .inner = {4, 2, 6, 18}};
}

TEST(GridHeuristics, flat_sends_from_the_root_in_turn) {
    const Order order = plan::grid::flat(example());
    EXPECT_EQ(order, (Order{{0, 1}, {0, 2}, {0, 3}}));
    EXPECT_EQ(makespan(example(), order), 38);
}

TEST(GridHeuristics, binomial_doubles_the_senders_in_cluster_order) {
    const Order order = plan::grid::binomial(example());
    EXPECT_EQ(order, (Order{{0, 1}, {0, 2}, {1, 3}}));
    EXPECT_EQ(makespan(example(), order), 32);
}

TEST(GridHeuristics, fef_takes_the_least_latency) {
    // Latencies 2 of (9, 2, 6); then 4 of (9, 6, 8, 4); then 7 of (9, 8, 7).
    const Order order = plan::grid::fef(example());
    EXPECT_EQ(order, (Order{{0, 2}, {2, 3}, {3, 1}}));
    EXPECT_EQ(makespan(example(), order), 40);
}

TEST(GridHeuristics, ecef_takes_the_earliest_arrival) {
    // Arrivals: 11, 5, 15; then 1 at 3 + 11 from 0, 3 at 5 + 10 from 2; then 3 at 15 from 2.
    const Order order = plan::grid::ecef(example());
    EXPECT_EQ(order, (Order{{0, 2}, {0, 1}, {2, 3}}));
    EXPECT_EQ(makespan(example(), order), 33);
}

TEST(GridHeuristics, ecef_la_adds_the_receivers_least_transfer) {
    // 11 + 3, 5 + 10, 15 + 9; then 2 at 2 + 5, + 10, and 3 at 11 + 3, + 9.
    const Order order = plan::grid::ecef_la(example());
    EXPECT_EQ(order, (Order{{0, 1}, {0, 2}, {1, 3}}));
    EXPECT_EQ(makespan(example(), order), 32);
}

TEST(GridHeuristics, ecef_la_average_b_adds_the_receivers_average_transfer) {
    // 11 + 12 / 2, 5 + 26 / 2, 15 + 23 / 2; then 2 at 7, + 10, and 3 at 14, + 9.
    const Order order = plan::grid::ecef_la_average_b(example());
    EXPECT_EQ(order, (Order{{0, 1}, {0, 2}, {1, 3}}));
    EXPECT_EQ(makespan(example(), order), 32);
}

TEST(GridHeuristics, ecef_la_average_ab_adds_the_average_transfer_from_all_holders) {
    // 11 + (5 + 15 + 9 + 3) / 4, 5 + (11 + 15 + 16 + 10) / 4, 15 + (11 + 5 + 14 + 9) / 4;
    // then 1 at 14, + (15 + 10 + 3) / 3, and 3 at 15, + (11 + 16 + 14) / 3.
    const Order order = plan::grid::ecef_la_average_ab(example());
    EXPECT_EQ(order, (Order{{0, 2}, {0, 1}, {2, 3}}));
    EXPECT_EQ(makespan(example(), order), 33);
}

TEST(GridHeuristics, ecef_lat_min_adds_the_least_transfer_and_inner_broadcast) {
    // 11 + min(15, 21), 5 + min(18, 28), 15 + min(16, 15);
    // then 1 at 14, + 21, and 3 at 15, + 16.
    const Order order = plan::grid::ecef_lat_min(example());
    EXPECT_EQ(order, (Order{{0, 2}, {2, 3}, {0, 1}}));
    EXPECT_EQ(makespan(example(), order), 33);
}

TEST(GridHeuristics, ecef_lat_max_adds_the_greatest_transfer_and_inner_broadcast) {
    // 11 + max(15, 21), 5 + max(18, 28), 15 + max(16, 15);
    // then 1 at 9 + 11, + 15, and 2 at 9 + 5, + 18.
    const Order order = plan::grid::ecef_lat_max(example());
    EXPECT_EQ(order, (Order{{0, 3}, {0, 2}, {0, 1}}));
    EXPECT_EQ(makespan(example(), order), 33);
}

TEST(GridHeuristics, bottom_up_serves_the_slowest_first) {
    // 11 + 2, 5 + 6, 15 + 18; then 1 at 9 + 11, + 2, and 2 at 9 + 5, + 6.
    const Order order = plan::grid::bottom_up(example());
    EXPECT_EQ(order, (Order{{0, 3}, {0, 1}, {0, 2}}));
    EXPECT_EQ(makespan(example(), order), 33);
}

TEST(GridHeuristics, bottom_up_la_reaches_the_slowest_through_a_relay) {
    // 3 ends last: at 11 + 3, + 18, through 1. Then again 3: at 11 + 3 from 1, + 18.
    const Order order = plan::grid::bottom_up_la(example());
    EXPECT_EQ(order, (Order{{0, 1}, {1, 3}, {0, 2}}));
    EXPECT_EQ(makespan(example(), order), 32);
}

TEST(GridHeuristics, fef_ignores_when_its_sender_is_ready) {
    // 1 holds the message at 101 only; through it 2 does at 104, from the root it could at 7.
    const Problem problem{.root = 0,
                          .gap = matrix_of({{0, 100, 4}, {1, 0, 1}, {1, 1, 0}}),
                          .latency = matrix_of({{0, 1, 3}, {1, 0, 2}, {1, 1, 0}}),
                          .inner = {0, 0, 0}};
    EXPECT_EQ(plan::grid::fef(problem), (Order{{0, 1}, {1, 2}}));
    EXPECT_EQ(plan::grid::ecef(problem), (Order{{0, 2}, {2, 1}}));
}

TEST(GridHeuristics, fef_weighs_the_transfer_where_no_latency_is_known) {
    const Problem problem{.root = 0,
                          .gap = matrix_of({{0, 9, 2}, {1, 0, 1}, {1, 3, 0}}),
                          .latency = Matrix<double>(3, 3, 0),
                          .inner = {0, 0, 0}};
    EXPECT_EQ(plan::grid::fef(problem), (Order{{0, 2}, {2, 1}}));
}

TEST(GridHeuristics, cluster_orders_go_round_from_a_root_in_the_middle) {
    const Problem problem{.root = 2,
                          .gap = Matrix<double>(5, 5, 1),
                          .latency = Matrix<double>(5, 5, 1),
                          .inner = std::vector<double>(5, 1)};
    EXPECT_EQ(plan::grid::flat(problem), (Order{{2, 3}, {2, 4}, {2, 0}, {2, 1}}));
    EXPECT_EQ(plan::grid::binomial(problem), (Order{{2, 3}, {2, 4}, {3, 0}, {2, 1}}));
}

TEST(GridHeuristics, break_ties_by_least_receiver_then_least_sender) {
    // All alike: with g = L = 1 the root is free at 1, its first receiver at 2.
    const Problem problem{.root = 1,
                          .gap = Matrix<double>(4, 4, 1),
                          .latency = Matrix<double>(4, 4, 1),
                          .inner = std::vector<double>(4, 1)};
    EXPECT_EQ(plan::grid::fef(problem), (Order{{1, 0}, {0, 2}, {0, 3}}));
    // In the last round both 0 and 1 are ready at 2.
    for (const auto make :
         {plan::grid::ecef, plan::grid::ecef_la, plan::grid::ecef_la_average_b,
          plan::grid::ecef_la_average_ab, plan::grid::ecef_lat_min, plan::grid::ecef_lat_max,
          plan::grid::bottom_up, plan::grid::bottom_up_la})
        EXPECT_EQ(make(problem), (Order{{1, 0}, {1, 2}, {0, 3}}));
}

TEST(GridHeuristics, pipeline_spares_the_root_a_second_send_of_many_segments) {
    Problem problem{.root = 0,
                    .gap = Matrix<double>(3, 3, 1),
                    .latency = Matrix<double>(3, 3, 5),
                    .inner = {0, 0, 0}};
    // One segment: through 1 it takes 12, from the root 7.
    EXPECT_EQ(plan::grid::pipeline(problem), (Order{{0, 1}, {0, 2}}));
    // Ten: through 1 they take 12 + 9, from the root 7 + 9 x 2.
    problem.segments = 10;
    EXPECT_EQ(plan::grid::pipeline(problem), (Order{{0, 1}, {1, 2}}));
    // If 1 spends 2 on each segment inside itself, it is no better than the root as a sender; and
    // served last by the root, 7 + 9 x 2, it waits less than behind 2, 12 + 9 x 2.
    problem.load = {0, 2, 0};
    EXPECT_EQ(plan::grid::pipeline(problem), (Order{{0, 2}, {0, 1}}));
}

TEST(GridHeuristics, have_nothing_to_send_for_one_cluster) {
    const Problem alone{
        .root = 0, .gap = Matrix<double>(1, 1), .latency = Matrix<double>(1, 1), .inner = {7}};
    for (const plan::Algorithm& algorithm : plan::algorithms()) {
        SCOPED_TRACE(algorithm.name);
        if (const auto* make = std::get_if<Order (*)(const Problem&)>(&algorithm.make)) {
            EXPECT_EQ((*make)(alone), Order{});
        }
    }
}

}  // namespace
}  // namespace espalier
