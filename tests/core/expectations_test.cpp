#include "core/expectations.hpp"

#include "core/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace espalier {
namespace {

TEST(Persistence, is_certain_until_something_ends) {
    Persistence persistence;
    persistence.add(Seconds(0), Seconds(5), false);
    EXPECT_EQ(persistence.chance(Seconds(0), Seconds(100)), 1);
}

TEST(Persistence, puts_an_end_in_the_middle_and_counts_only_who_is_looked_at) {
    Persistence persistence;
    persistence.add(Seconds(0), Seconds(4), true);   // ends at 2
    persistence.add(Seconds(0), Seconds(4), false);  // at risk until 4
    persistence.add(Seconds(3), Seconds(6), false);  // comes too late to be at risk at 2
    persistence.add(Seconds(3), Seconds(7), true);   // ends at 5
    // At 2 one of two ends, at 5 one of two; one more lasts each time.
    EXPECT_DOUBLE_EQ(persistence.chance(Seconds(0), Seconds(1)), 1);
    EXPECT_DOUBLE_EQ(persistence.chance(Seconds(0), Seconds(2)), 2.0 / 3);
    EXPECT_DOUBLE_EQ(persistence.chance(Seconds(0), Seconds(5)), 4.0 / 9);
    EXPECT_DOUBLE_EQ(persistence.chance(Seconds(2), Seconds(5)), 2.0 / 3);
    EXPECT_DOUBLE_EQ(persistence.chance(Seconds(5), Seconds(9)), 1);
}

TEST(Persistence, learns_that_values_last_for_five_looks) {
    Persistence persistence;
    for (int i = 0; i < 1000; ++i)
        for (int age = 0; age < 5; ++age) persistence.add(Seconds(age), Seconds(age + 1), age == 4);
    EXPECT_EQ(persistence.chance(Seconds(0), Seconds(4)), 1);
    EXPECT_LT(persistence.chance(Seconds(4), Seconds(5)), 0.01);
}

TEST(Expectations, are_the_last_value_until_one_was_seen_to_change) {
    Expectations known(2);
    known.add(0, Seconds(0), 3);
    known.add(1, Seconds(0), 5);
    known.add(0, Seconds(10), 3);
    EXPECT_EQ(known.at(0, Seconds(20)).value, 3);
    EXPECT_EQ(known.at(0, Seconds(20)).spread, 0);
    EXPECT_EQ(known.at(1, Seconds(20)).value, 5);
    EXPECT_EQ(known.last(1), 5);
    EXPECT_EQ(known.measured(0), Seconds(10));
    EXPECT_EQ(Expectations(1).measured(0), std::nullopt);
}

/// A quantity whose level was 2, and which was measured at 2 times, is 4 now.
Expectations changed_once() {
    Expectations known(1);
    known.add(0, Seconds(0), 2);
    known.add(0, Seconds(2), 2);
    known.add(0, Seconds(4), 4);  // since 3: it ended at an age of 3
    return known;
}

TEST(Expectations, go_from_the_level_to_the_centre_as_levels_end) {
    const Expectations known = changed_once();
    // At 5 its age is 2, as at 4 it was 1: none has ended so young.
    EXPECT_DOUBLE_EQ(known.at(0, Seconds(5)).value, 4);
    EXPECT_DOUBLE_EQ(known.at(0, Seconds(5)).spread, 0);
    // At an age of 3 the one at risk ended, and one more did not: half a chance that it is still 4.
    // Else 2, 4, or the mean 3 times 2, which is what the new level was of the one before.
    const auto expected = known.at(0, Seconds(6));
    EXPECT_DOUBLE_EQ(expected.value, 4);
    EXPECT_DOUBLE_EQ(expected.spread, std::sqrt(0.5 * (4 + 0 + 4) / 3));
    EXPECT_DOUBLE_EQ(known.below(0, Seconds(5), 5), 1);
    EXPECT_DOUBLE_EQ(known.below(0, Seconds(6), 5), 0.5 * 1 + 0.5 * (3 + 1 + 0) / 3);
    EXPECT_DOUBLE_EQ(known.below(0, Seconds(6), 1), 0);
}

TEST(Expectations, take_the_usual_difference_for_noise_and_three_times_as_much_for_a_change) {
    Random random(1);
    Expectations known(1);
    double time = 0;
    for (int level = 0; level < 40; ++level)
        for (int i = 0; i < 10; ++i, ++time)
            known.add(0, Seconds(time), (level % 2 == 0 ? 10 : 30) * random.uniform(0.98, 1.02));
    // The 20 noisy levels are told apart, and the noise is averaged: the level has just ended its
    // tenth measurement, when it always changes.
    EXPECT_NEAR(known.at(0, Seconds(time - 1)).value, 30, 0.3);
    EXPECT_NEAR(known.at(0, Seconds(time)).value, 20, 3);
}

TEST(Expectations, of_what_is_only_noise_are_its_mean) {
    Random random(2);
    Expectations known(4);
    for (int i = 0; i < 500; ++i)
        for (std::size_t quantity = 0; quantity < 4; ++quantity)
            known.add(quantity, Seconds(i), random.uniform(5, 15));
    double off = 0;
    for (std::size_t quantity = 0; quantity < 4; ++quantity)
        off += std::abs(known.at(quantity, Seconds(500)).value - 10) / 4;
    EXPECT_LT(off, 0.7);
}

TEST(Expectations, of_what_wanders_are_about_its_last_value) {
    Random random(3);
    Expectations known(1);
    double value = 1000;
    for (int i = 0; i < 500; ++i) known.add(0, Seconds(i), value += random.uniform(-1, 1));
    EXPECT_NEAR(known.at(0, Seconds(500)).value, value, 3);
}

TEST(Expectations, of_nothing_but_zeros_are_zero) {
    Expectations known(1);
    for (int i = 0; i < 3; ++i) known.add(0, Seconds(i), 0);
    known.add(0, Seconds(3), 1);
    known.add(0, Seconds(4), 0);
    EXPECT_TRUE(std::isfinite(known.at(0, Seconds(50)).value));
    EXPECT_GE(known.at(0, Seconds(50)).value, 0);
    EXPECT_GE(known.below(0, Seconds(50), 1), 0);
}

}  // namespace
}  // namespace espalier
