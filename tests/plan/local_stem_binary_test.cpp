#include "plan/local/shapes.hpp"

#include "plan/local_support.hpp"
#include "schedule/validate.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace espalier::plan::local {
namespace {

TEST(StemBinary, is_one_link_and_a_binary_tree_below) {
    const auto schedule = stem_binary().make(test::problem(8, 100, test::constant(1, 2)), 0, 1);
    EXPECT_EQ(schedule::find_violation(schedule), std::nullopt);
    const auto children = [&](std::size_t node) {
        return std::ranges::count(schedule.transfers, node, &schedule::Transfer::from);
    };
    EXPECT_EQ(children(0), 1);
    EXPECT_EQ(children(1), 2);
    EXPECT_EQ(children(2), 2);
    EXPECT_EQ(children(3), 2);
    for (std::size_t node = 4; node < 8; ++node) EXPECT_EQ(children(node), 0);
}

TEST(StemBinary, takes_the_time_that_its_formula_says_where_segments_are_alike) {
    const auto link = test::linear(0.3, 0.05, 0.001);
    for (const std::size_t nodes : {1U, 2U, 3U, 4U, 7U, 8U, 9U, 20U})
        for (const std::size_t segments : {1U, 2U, 5U, 10U})
            for (const std::size_t root : {std::size_t{0}, nodes - 1}) {
                const auto problem = test::problem(nodes, 1000, link);
                const auto schedule = stem_binary().make(problem, root, segments);
                const double formula = stem_binary().formula(problem, segments).value;
                EXPECT_EQ(schedule::find_violation(schedule), std::nullopt);
                EXPECT_NEAR(test::simulated_makespan(schedule, link).value, formula, 1e-9)
                    << nodes << " nodes, " << segments << " segments";
                EXPECT_NEAR(test::reference_makespan(schedule, link).value, formula, 1e-9);
            }
}

TEST(StemBinary, the_root_spends_one_gap_on_each_segment) {
    // L = 1, g = 2: the first segment is at the fourth node after 3 + (2 + 2) + 1, then 4 a segment
    // at node 1, which has two children, while the root sends one every 2.
    const auto problem = test::problem(4, 1000, test::constant(1, 2));
    EXPECT_DOUBLE_EQ(stem_binary().formula(problem, 1).value, 8);
    EXPECT_DOUBLE_EQ(stem_binary().formula(problem, 10).value, 8 + 9 * 4);
    EXPECT_DOUBLE_EQ(stem_binary().formula(test::problem(2, 1000, test::constant(1, 2)), 10).value,
                     3 + 9 * 2);
}

}  // namespace
}  // namespace espalier::plan::local
