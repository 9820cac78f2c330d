#include "measure/method/arrivals.hpp"

#include <gtest/gtest.h>

namespace espalier::measure {
namespace {

TEST(Arrivals, at_an_even_pace_give_that_pace_wherever_the_window_lies) {
    std::vector<Arrival> arrivals;
    for (int k = 0; k < 100; ++k) arrivals.push_back({0.1 * k, 1000});
    for (const double from : {1.0, 1.03, 2.55})
        for (const double length : {0.25, 1.0, 3.33})
            EXPECT_NEAR(rate(arrivals, from, from + length), 10000, 1e-6);
}

TEST(Arrivals, outside_the_window_do_not_count) {
    const std::vector<Arrival> arrivals{{1, 500}, {2, 500}, {3, 500}, {9, 500}};
    EXPECT_DOUBLE_EQ(rate(arrivals, 1, 3), 500);
    EXPECT_DOUBLE_EQ(rate(arrivals, 10, 12), 0);
    EXPECT_DOUBLE_EQ(rate({}, 0, 1), 0);
    EXPECT_DOUBLE_EQ(rate(arrivals, 2, 2), 0);
}

TEST(Arrivals, that_come_in_bunches_count_from_the_bunch_before) {
    std::vector<Arrival> arrivals;
    for (int k = 0; k < 40; ++k)
        for (int same = 0; same < 4; ++same) arrivals.push_back({0.1 * k, 250});
    for (const double from : {1.0, 1.01, 1.09})
        EXPECT_NEAR(rate(arrivals, from, from + 1.05), 10000, 1e-6);
}

}  // namespace
}  // namespace espalier::measure
