#include "core/meter.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

constexpr Seconds long_enough(1e7);

TEST(Meter, shares_small_budgets_in_proportion) {
    const Meter meter(Limits{long_enough, 100});
    EXPECT_EQ(meter.share(0.3).work, 30u);
    EXPECT_EQ(meter.share(1).work, 100u);
    EXPECT_EQ(meter.share(0).work, 0u);
}

TEST(Meter, shares_what_is_left) {
    Meter meter(Limits{long_enough, 1000});
    meter.spend(600);
    EXPECT_EQ(meter.work_left(), 400u);
    EXPECT_EQ(meter.share(0.5).work, 200u);
    meter.spend(600);
    EXPECT_TRUE(meter.over());
    EXPECT_EQ(meter.share(0.5).work, 0u);
}

TEST(Meter, leaves_work_unlimited_in_every_share) {
    Meter meter(Limits{long_enough});
    meter.spend(1'000'000);
    EXPECT_FALSE(meter.share(0.5).work.has_value());
    EXPECT_FALSE(meter.over());
}

TEST(Meter, is_over_at_once_without_time_or_work) {
    EXPECT_TRUE(Meter(Limits{Seconds(0)}).over());
    EXPECT_TRUE(Meter(Limits{long_enough, 0}).over());
}

TEST(Meter, counts_the_greatest_budget_exactly) {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(Meter(Limits{long_enough, most}).share(1).work, most);
}

TEST(Limits, are_no_more_than_both) {
    EXPECT_EQ(Limits{long_enough}.at_most(7).work, 7u);
    EXPECT_EQ((Limits{long_enough, 5}.at_most(7).work), 5u);
}

}  // namespace
}  // namespace espalier
