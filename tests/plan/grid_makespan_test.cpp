#include "plan/grid/problem.hpp"
#include "support/grid_oracle.hpp"
#include "support/grid_problems.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

using plan::grid::makespan;
using plan::grid::Order;
using plan::grid::Problem;

/// Three clusters; gap 2, latency 10, and inner broadcasts of 1, 5 and 3.
Problem three_clusters() {
    return {.root = 0,
            .gap = Matrix<double>(3, 3, 2),
            .latency = Matrix<double>(3, 3, 10),
            .inner = {1, 5, 3}};
}

TEST(GridMakespan, of_one_cluster_is_its_own_broadcast) {
    const Problem alone{
        .root = 0, .gap = Matrix<double>(1, 1), .latency = Matrix<double>(1, 1), .inner = {7}};
    EXPECT_EQ(makespan(alone, {}), 7);
}

TEST(GridMakespan, lets_a_sender_go_on_after_the_gap) {
    // 1 holds the message at 12, 2 at 2 + 12.
    EXPECT_EQ(makespan(three_clusters(), {{0, 1}, {0, 2}}), 17);
}

TEST(GridMakespan, lets_a_receiver_send_once_it_holds_the_message) {
    // 2 holds it at 12, 1 at 12 + 12.
    EXPECT_EQ(makespan(three_clusters(), {{0, 2}, {2, 1}}), 29);
}

TEST(GridMakespan, begins_the_inner_broadcast_after_the_last_send) {
    Problem problem = three_clusters();
    problem.inner[0] = 100;
    EXPECT_EQ(makespan(problem, {{0, 1}, {0, 2}}), 104);
    EXPECT_EQ(makespan(problem, {{0, 1}, {1, 2}}), 102);
}

TEST(GridMakespan, lets_each_port_of_a_sender_send) {
    Problem problem = {.root = 0,
                       .gap = Matrix<double>(4, 4, 2),
                       .latency = Matrix<double>(4, 4, 10),
                       .inner = {1, 0, 0, 0},
                       .ports = 2};
    problem.gap(0, 1) = 7;
    // 1 from 0 to 7 through one port, 2 and 3 from 0 to 2 and 2 to 4 through the other; then T_0.
    EXPECT_EQ(makespan(problem, {{0, 1}, {0, 2}, {0, 3}}), 17);
    problem.inner[3] = 5;
    EXPECT_EQ(makespan(problem, {{0, 1}, {0, 2}, {0, 3}}), 19);
    problem.inner[0] = 13;
    EXPECT_EQ(makespan(problem, {{0, 1}, {0, 2}, {0, 3}}), 20);
}

TEST(GridMakespan, keeps_each_sender_to_its_own_order_only) {
    Random random(3);
    const Problem problem = test::random_problem(random, 4);
    const std::size_t r = problem.root;
    const std::size_t a = (r + 1) % 4, b = (r + 2) % 4, c = (r + 3) % 4;
    EXPECT_EQ(makespan(problem, {{r, a}, {a, c}, {r, b}}),
              makespan(problem, {{r, a}, {r, b}, {a, c}}));
}

TEST(GridMakespan, agrees_with_following_each_cluster_back_to_the_root) {
    Random random(4);
    for (int run = 0; run < 2000; ++run) {
        const std::size_t clusters = 1 + random.below(9);
        Problem problem = test::random_problem(random, clusters);
        problem.ports = 1 + random.below(3);
        Order order;
        std::vector<std::size_t> holding{problem.root};
        for (std::size_t step = 1; step < clusters; ++step) {
            const std::size_t to = (problem.root + step) % clusters;
            order.push_back({.from = holding[random.below(holding.size())], .to = to});
            holding.push_back(to);
        }
        ASSERT_NEAR(makespan(problem, order), test::naive_makespan(problem, order), 1e-12);
    }
}

}  // namespace
}  // namespace espalier
