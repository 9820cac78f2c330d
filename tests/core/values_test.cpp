#include "core/matrix.hpp"
#include "core/random.hpp"
#include "core/units.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace espalier {
namespace {

TEST(Units, combine_only_as_physics_allows) {
    EXPECT_EQ(Bytes(100) / BytesPerSecond(50), Seconds(2));
    EXPECT_EQ(Bytes(100) / Seconds(2), BytesPerSecond(50));
    EXPECT_EQ(Seconds(3) + Seconds(2) - Seconds(1), Seconds(4));
    EXPECT_EQ(2 * Seconds(3) / 3, Seconds(2));
    EXPECT_EQ(Seconds(3) / Seconds(2), 1.5);
    EXPECT_LT(Seconds(1), Seconds(2));
    static_assert(!std::is_convertible_v<double, Seconds>);
    static_assert(!std::is_convertible_v<Seconds, double>);
    static_assert(!std::is_constructible_v<Seconds, Bytes>);
}

TEST(Matrix, keeps_rows_and_columns_apart) {
    Matrix<int> matrix(2, 3, 7);
    matrix(1, 0) = 1;
    matrix(0, 1) = 2;
    EXPECT_EQ(matrix.rows(), 2U);
    EXPECT_EQ(matrix.columns(), 3U);
    EXPECT_EQ(matrix(1, 0), 1);
    EXPECT_EQ(matrix(0, 1), 2);
    EXPECT_EQ(matrix(1, 2), 7);
}

TEST(Random, gives_the_same_numbers_everywhere) {
    Random random(1);
    // std::mt19937_64 seeded with 1: its first two outputs are set by the standard's algorithm.
    EXPECT_EQ(random.uniform(), static_cast<double>(2469588189546311528ULL >> 11U) * 0x1.0p-53);
    EXPECT_EQ(random.below(1000),
              static_cast<std::uint64_t>(static_cast<double>(2516265689700432462ULL >> 11U) *
                                         0x1.0p-53 * 1000));
}

TEST(Random, stays_in_its_range_and_reaches_all_of_it) {
    Random random(5);
    std::size_t seen = 0;
    for (int n = 0; n < 1000; ++n) {
        const auto value = random.below(7);
        ASSERT_LT(value, 7U);
        seen |= std::size_t{1} << value;
        const double real = random.uniform(-2, 3);
        ASSERT_GE(real, -2);
        ASSERT_LT(real, 3);
    }
    EXPECT_EQ(seen, 127U);
}

}  // namespace
}  // namespace espalier
