#include "core/common_changes.hpp"

#include "core/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace espalier {
namespace {

/// Looks every second at quantities that were looked at when they began, at 0.
template <typename Changed>
CommonChanges looked_at(const std::vector<std::size_t>& groups, int seconds, Changed changed) {
    CommonChanges common(groups);
    for (std::size_t quantity = 0; quantity < groups.size(); ++quantity)
        common.begin(quantity, Seconds(0));
    for (int time = 1; time <= seconds; ++time) {
        const std::vector<bool> which = changed(time);
        for (std::size_t quantity = 0; quantity < groups.size(); ++quantity)
            common.add(quantity, Seconds(time - 1), Seconds(time), which[quantity], 0.7);
    }
    return common;
}

TEST(CommonChanges, tell_by_one_of_a_group_of_the_others) {
    Random random(3);
    CommonChanges common = looked_at({0, 0, 0, 1, 1, 1}, 1000, [&](int) {
        const bool first = random.uniform() < 0.3;
        const bool second = random.uniform() < 0.3;
        return std::vector{first, first, first, second, second, second};
    });
    EXPECT_GT(common.advantage(), 1000 * std::log(2));
    EXPECT_NEAR(common.chance(1, Seconds(1000), Seconds(1001)), 0.7, 0.1);
    common.add(0, Seconds(1000), Seconds(1001), true, 0.7);
    common.add(3, Seconds(1000), Seconds(1001), false, 0.7);
    EXPECT_LT(common.chance(1, Seconds(1000), Seconds(1001)), 0.1);
    EXPECT_GT(common.chance(4, Seconds(1000), Seconds(1001)), 0.9);
}

TEST(CommonChanges, learn_when_the_next_is_due) {
    const CommonChanges common =
        looked_at({0, 0, 0}, 3000, [](int time) { return std::vector<bool>(3, time % 5 == 0); });
    EXPECT_GT(common.chance(0, Seconds(3000), Seconds(3004)), 0.9);
    EXPECT_LT(common.chance(0, Seconds(3000), Seconds(3005)), 0.1);
}

TEST(CommonChanges, have_no_advantage_where_each_changes_alone) {
    Random random(4);
    const CommonChanges common = looked_at({0, 0, 0, 1, 1, 1}, 500, [&](int) {
        std::vector<bool> changed(6);
        for (std::size_t i = 0; i < 6; ++i) changed[i] = random.uniform() < 0.3;
        return changed;
    });
    EXPECT_LT(common.advantage(), 0);
    EXPECT_NEAR(common.chance(0, Seconds(500), Seconds(501)), 0.7, 0.05);
}

TEST(CommonChanges, foresee_no_better_what_has_no_other_of_its_group) {
    const CommonChanges common =
        looked_at({0, 1}, 100, [](int time) { return std::vector<bool>(2, time % 4 == 0); });
    EXPECT_EQ(common.advantage(), 0);
}

}  // namespace
}  // namespace espalier
