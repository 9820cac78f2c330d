#include "plan/local/d_ary.hpp"
#include "plan/local/shapes.hpp"
#include "plan/local/tree.hpp"
#include "plan/local_support.hpp"

#include <gtest/gtest.h>

namespace espalier::plan::local::test {

namespace {

Seconds time_of_tree(const Problem& instance, std::size_t degree, std::size_t segments) {
    const auto parent_of = [degree](std::size_t position) { return (position - 1) / degree; };
    return reference_makespan(along_tree(instance, 0, segments, parent_of), instance.link);
}

}  // namespace

TEST(DAry, time_of_every_degree_is_that_of_the_simulated_tree) {
    for (const auto& link : {constant(10, 1), constant(1, 10), constant(3, 3), gigabit()})
        for (const std::size_t segments : {1U, 4U})
            for (std::size_t nodes = 2; nodes <= 36; ++nodes)
                for (std::size_t degree = 1; degree < nodes; ++degree) {
                    SCOPED_TRACE(std::to_string(nodes) + " nodes, degree " +
                                 std::to_string(degree));
                    const Problem instance = problem(nodes, 1 << 20, link);
                    const double expected = time_of_tree(instance, degree, segments).value;
                    EXPECT_NEAR(d_ary_time(instance, degree, segments).value, expected,
                                1e-9 * expected);
                }
}

TEST(DAry, degree_is_the_best_of_all) {
    for (const auto& link : {constant(10, 1), constant(1, 10), constant(3, 3), gigabit()})
        for (const std::size_t segments : {1U, 4U, 64U})
            for (std::size_t nodes = 2; nodes <= 24; ++nodes) {
                const Problem instance = problem(nodes, 1 << 20, link);
                const double chosen =
                    time_of_tree(instance, best_degree(instance, segments), segments).value;
                for (std::size_t degree = 1; degree < nodes; ++degree)
                    EXPECT_LE(chosen, time_of_tree(instance, degree, segments).value * (1 + 1e-9));
            }
}

TEST(DAry, grows_wide_where_latency_dominates_and_narrow_where_segments_do) {
    EXPECT_EQ(best_degree(problem(30, 1024, constant(1000, 1)), 1), 29);
    EXPECT_EQ(best_degree(problem(30, 1 << 20, constant(0, 1)), 1000), 1);
    const std::size_t between = best_degree(problem(30, 1 << 20, constant(4, 1)), 1);
    EXPECT_GT(between, 1);
    EXPECT_LT(between, 29);
}

TEST(DAry, is_never_slower_than_flat_or_chain) {
    for (const auto& link : {constant(10, 1), constant(1, 10), gigabit()})
        for (const std::size_t segments : {1U, 8U, 256U})
            for (std::size_t nodes = 1; nodes <= 50; ++nodes) {
                const Problem instance = problem(nodes, 1 << 20, link);
                const double time = d_ary().formula(instance, segments).value;
                EXPECT_LE(time, flat_segmented().formula(instance, segments).value * (1 + 1e-9));
                EXPECT_LE(time, chain_segmented().formula(instance, segments).value * (1 + 1e-9));
            }
}

}  // namespace espalier::plan::local::test
