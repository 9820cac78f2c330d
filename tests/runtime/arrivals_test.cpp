#include "runtime/logic/arrivals.hpp"

#include "core/infinity.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

namespace espalier::runtime {
namespace {

/// What all ranks hear that were so long in a call, which takes 10 ms once all are there.
std::optional<Arrival> heard(const std::vector<double>& times) {
    double least = -infinity;
    for (std::size_t rank = 0; rank < times.size(); ++rank)
        least = std::max(least, as_least(Seconds(times[rank]), static_cast<int>(rank)));
    return arrival(Seconds(*std::ranges::max_element(times)), least, Seconds(0.01));
}

TEST(Arrival, tells_the_last_rank_and_how_late_it_was) {
    const auto told = heard({0.110, 0.105, 0.010, 0.108});
    ASSERT_TRUE(told);
    EXPECT_EQ(told->last, 2);
    EXPECT_NEAR(told->late.value, 0.1, 1e-6);
}

TEST(Arrival, takes_no_rank_for_late_that_is_only_done_earlier) {
    const auto told = heard({0.010, 0.006, 0.009});
    ASSERT_TRUE(told);
    EXPECT_EQ(told->late, Seconds(0));
    // A call that takes longer than foretold, by all alike.
    EXPECT_NEAR(heard({0.020, 0.019, 0.020})->late.value, 0.001, 1e-9);
}

TEST(Arrival, is_known_where_calls_take_much_less_than_predicted) {
    const auto told = heard({0.0080, 0.0001, 0.0079});
    ASSERT_TRUE(told);
    EXPECT_EQ(told->last, 1);
    EXPECT_NEAR(told->late.value, 0.0078, 1e-9);
}

TEST(Arrival, has_room_for_many_ranks_and_any_time) {
    for (const int rank : {0, 1, 1'000'000, (1 << 20) - 1})
        for (const double time : {0.0, 1e-9, 1e-3, 1e6}) {
            const auto told = arrival(Seconds(time + 1), as_least(Seconds(time), rank), Seconds(0));
            ASSERT_TRUE(told);
            EXPECT_EQ(told->last, rank);
            EXPECT_NEAR(told->late.value, 1, 1e-3);
        }
    EXPECT_GT(as_least(Seconds(1e-3), 7), as_least(Seconds(1.001e-3), 3));
}

TEST(Arrival, is_not_known_where_no_rank_told_a_time) {
    EXPECT_EQ(as_least(Seconds(infinity), 3), -infinity);
    EXPECT_EQ(as_least(Seconds(1), 1 << 20), -infinity);
    EXPECT_FALSE(arrival(Seconds(1), -infinity, Seconds(0)));
    EXPECT_FALSE(arrival(Seconds(infinity), as_least(Seconds(1), 3), Seconds(0)));
}

TEST(Arrivals, are_summed_by_calls_and_by_hosts) {
    Arrivals arrivals;
    arrivals.add("barrier", 4, Seconds(0.5), "b");
    arrivals.add("barrier", 4, Seconds(0.25), "a");
    arrivals.add("barrier", 8, Seconds(0), "c");
    const auto lateness = arrivals.lateness();
    ASSERT_EQ(lateness.size(), 2u);
    EXPECT_EQ(lateness[0].calls, 2u);
    EXPECT_EQ(lateness[0].sum, Seconds(0.75));
    EXPECT_EQ(lateness[1].ranks, 8u);
    EXPECT_THAT(arrivals.waited_for(), testing::SizeIs(2));
    EXPECT_EQ(arrivals.waited_for().at("b"), Seconds(0.5));
}

}  // namespace
}  // namespace espalier::runtime
