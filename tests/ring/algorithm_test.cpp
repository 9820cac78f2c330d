#include "ring/planner.hpp"

#include <gtest/gtest.h>

#include <set>

namespace espalier::ring {
namespace {

TEST(RingAlgorithms, have_one_name_each_and_a_planner) {
    std::set<std::string_view> seen;
    for (const Algorithm& algorithm : algorithms()) {
        SCOPED_TRACE(algorithm.name);
        EXPECT_TRUE(seen.insert(algorithm.name).second);
        EXPECT_EQ(find_algorithm(algorithm.name), &algorithm);
        EXPECT_EQ(algorithm.family, schedule::Family::ring);
        EXPECT_NE(algorithm.make, nullptr);
    }
    EXPECT_TRUE(seen.contains("greedy"));
}

TEST(RingAlgorithms, say_what_they_are_for_in_one_line) {
    for (const Algorithm& algorithm : algorithms()) {
        SCOPED_TRACE(algorithm.name);
        EXPECT_FALSE(algorithm.description.empty());
        EXPECT_EQ(algorithm.description.find('\n'), std::string_view::npos);
        EXPECT_FALSE(algorithm.source.empty());
        EXPECT_TRUE(algorithm.collectives.empty());
        EXPECT_FALSE(algorithm.models.empty());
    }
}

TEST(RingAlgorithms, of_an_unknown_name_are_not_found) {
    EXPECT_EQ(find_algorithm("flat"), nullptr);
    EXPECT_EQ(find_algorithm(""), nullptr);
}

}  // namespace
}  // namespace espalier::ring
