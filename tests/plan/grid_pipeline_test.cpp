#include "plan/grid/pipeline.hpp"

#include "plan/grid/ecef.hpp"
#include "support/grid_problems.hpp"
#include "support/print_send.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace espalier::plan::grid {
namespace {

using ::testing::ElementsAre;

Problem uniform(std::size_t size, double gap, double latency, std::size_t segments) {
    Problem problem;
    problem.gap = {size, size, gap};
    problem.latency = {size, size, latency};
    problem.inner.assign(size, 0);
    problem.segments = segments;
    return problem;
}

/// When the last of many segments is everywhere, by sending each through the tree.
double by_segments(const Problem& problem, const Order& order) {
    std::vector<double> free(problem.size(), 0);
    double last = 0;
    for (std::size_t s = 0; s < problem.segments; ++s) {
        std::vector<double> held(problem.size(), 0);
        for (const auto [from, to] : order) {
            const double start = std::max(free[from], held[from]);
            free[from] = start + problem.gap(from, to);
            held[to] = free[from] + problem.latency(from, to);
            last = std::max(last, held[to]);
        }
    }
    return last;
}

TEST(Pipeline, of_many_segments_is_a_chain_where_links_are_alike) {
    const Problem problem = uniform(5, 1, 0.1, 1000);
    const Order order = pipeline(problem);
    ASSERT_EQ(order.size(), 4U);
    for (std::size_t s = 0; s < order.size(); ++s)
        EXPECT_EQ(std::ranges::count(order, order[s].from, &Send::from), 1);
    EXPECT_DOUBLE_EQ(by_segments(problem, order), 4 * 1.1 + 999);
}

TEST(Pipeline, of_one_segment_branches) {
    const Problem problem = uniform(8, 1, 1, 1);
    EXPECT_DOUBLE_EQ(makespan(problem, pipeline(problem)), makespan(problem, ecef(problem)));
}

TEST(Pipeline, goes_on_from_a_fast_sender) {
    Problem problem = uniform(3, 1, 0, 100);
    EXPECT_THAT(pipeline(problem), ElementsAre(Send{0, 1}, Send{1, 2}));
    problem.gap(1, 2) = 10;
    EXPECT_THAT(pipeline(problem), ElementsAre(Send{0, 1}, Send{0, 2})) << "every 2, not every 10";
}

TEST(Pipeline, counts_what_sending_inside_costs_a_coordinator) {
    // The root spends 4 on each segment inside and 1 on the next cluster; a second one would make
    // it the slowest, ahead of b with its 5.5.
    Problem problem = uniform(3, 1, 0, 100);
    problem.load = {4, 5.5, 0};
    EXPECT_THAT(pipeline(problem), ElementsAre(Send{0, 2}, Send{2, 1}));
}

TEST(Pipeline, reaches_everyone_once_and_in_order) {
    Random random(31);
    for (int n = 0; n < 300; ++n) {
        Problem problem = test::random_problem(random, 1 + random.below(9));
        problem.segments = 1 + random.below(50);
        std::vector<char> holds(problem.size(), 0);
        holds[problem.root] = 1;
        for (const auto [from, to] : pipeline(problem)) {
            ASSERT_TRUE(holds[from]);
            ASSERT_FALSE(holds[to]);
            holds[to] = 1;
        }
        ASSERT_EQ(std::ranges::count(holds, 1), static_cast<std::ptrdiff_t>(problem.size()));
    }
}

TEST(Pipeline, beats_the_tree_for_whole_messages_on_average) {
    Random random(32);
    double pipelined = 0;
    double whole = 0;
    for (int n = 0; n < 300; ++n) {
        Problem problem = test::random_problem(random, 6);
        problem.segments = 100;
        pipelined += by_segments(problem, pipeline(problem));
        whole += by_segments(problem, ecef(problem));
    }
    EXPECT_LT(pipelined, 0.8 * whole);
}

}  // namespace
}  // namespace espalier::plan::grid
