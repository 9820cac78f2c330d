#include "core/sparse_pairs.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(SparsePairs, know_a_pair_in_either_order) {
    SparsePairs<double> pairs(4);
    pairs.at(3, 1) = 5;
    pairs.at(1, 2) = 4;
    EXPECT_EQ(pairs(1, 3), 5);
    EXPECT_EQ(pairs(3, 1), 5);
    EXPECT_EQ(pairs(2, 3), std::nullopt);
    ASSERT_EQ(pairs.from(1).size(), 2U);
    EXPECT_EQ(pairs.from(1).front().other, 2U);
}

TEST(SparsePairs, are_mapped_pair_by_pair) {
    SparsePairs<int> pairs(3);
    pairs.at(0, 2) = 5;
    const SparsePairs<double> halves = pairs.map([](int value) { return value / 2.0; });
    EXPECT_EQ(halves.size(), 3U);
    EXPECT_EQ(halves(2, 0), 2.5);
    EXPECT_EQ(halves(0, 1), std::nullopt);
}

TEST(SparsePairs, are_no_longer_known_once_they_are_taken) {
    SparsePairs<int> pairs(3);
    pairs.at(0, 2) = 5;
    pairs.at(1, 2) = 6;
    const auto taken = pairs.take(0);
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken.front().value, 5);
    EXPECT_EQ(pairs(0, 2), std::nullopt);
    EXPECT_EQ(pairs(1, 2), 6);
}

}  // namespace
}  // namespace espalier
