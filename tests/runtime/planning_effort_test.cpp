#include "runtime/logic/planning_effort.hpp"

#include "core/meter.hpp"
#include "plan/race.hpp"

#include <gtest/gtest.h>

namespace espalier::runtime {
namespace {

constexpr std::size_t ranks = 20;

Seconds time_of(std::uint64_t steps) { return Meter::step * static_cast<double>(steps); }

TEST(WorthPlanning, once_calls_took_as_long_as_a_short_search) {
    const std::uint64_t shortest = short_planning(ranks);
    EXPECT_FALSE(worth_planning(ranks, time_of(shortest) * 0.9, 0));
    EXPECT_EQ(worth_planning(ranks, Seconds(0), 0), std::nullopt);
    const auto first = worth_planning(ranks, time_of(2 * shortest), 0);
    ASSERT_TRUE(first);
    EXPECT_NEAR(static_cast<double>(*first), 2.0 * static_cast<double>(shortest), 1);
}

TEST(WorthPlanning, is_never_more_than_the_standard_budget) {
    const std::uint64_t standard = plan::standard_budget(ranks).most_steps();
    EXPECT_EQ(worth_planning(ranks, Seconds(1e6), 0), standard);
    EXPECT_EQ(worth_planning(ranks, Seconds(1e6), standard / 2), standard);
    EXPECT_EQ(worth_planning(ranks, Seconds(1e6), standard), std::nullopt);
}

/// However long a program goes on, all that was planned for a signature takes a small part of its
/// calls' time, beside the first plan.
TEST(WorthPlanning, stays_a_small_part_of_what_calls_take) {
    for (const double call : {1e-5, 1e-3, 0.1}) {
        std::uint64_t before = 0;
        Seconds first(0);
        Seconds later(0);
        Seconds spent(0);
        for (int calls = 0; calls < 100'000; ++calls) {
            if (const auto steps = worth_planning(ranks, spent, before)) {
                (before == 0 ? first : later) += time_of(*steps);
                before = *steps;
            }
            spent += Seconds(call);
            EXPECT_LE(first, spent);
            EXPECT_LE(later, spent * 0.1);
        }
        EXPECT_GT(before, 0U) << call;
    }
}

}  // namespace
}  // namespace espalier::runtime
