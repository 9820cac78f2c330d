#include "measure/method/orders.hpp"

#include <gmock/gmock.h>

namespace espalier::measure {
namespace {

using ::testing::ElementsAre;

TEST(Orders, arrive_as_they_were_given) {
    const LatencyStep step{{{4, 1}, {0, 2, 3}, {7}}, 2, 9, 5, true};
    const auto told = unpack_step(pack(step));
    ASSERT_TRUE(told.has_value());
    EXPECT_THAT(told->groups, ElementsAre(ElementsAre(4, 1), ElementsAre(0, 2, 3), ElementsAre(7)));
    EXPECT_EQ(told->first, 2U);
    EXPECT_EQ(told->last, 9U);
    EXPECT_EQ(told->times, 5U);
    EXPECT_TRUE(told->at_once);
}

TEST(Orders, of_streams_arrive_as_they_were_given) {
    const StreamRound round{{{{3, 5}, 65536, 2, 40}, {{6, 1}, 1024, 1, 7}}, 2, 0.25, 1.5, 3, 0.125};
    const auto all = unpack_rounds(pack({StreamRound(), round}));
    ASSERT_EQ(all.size(), 2U);
    const StreamRound* told = &all[1];
    ASSERT_EQ(told->streams.size(), 2U);
    EXPECT_EQ(told->begins, 2);
    EXPECT_EQ(told->windows, 3U);
    EXPECT_EQ(told->streams[0].ends.from, 3U);
    EXPECT_EQ(told->streams[0].ends.to, 5U);
    EXPECT_EQ(told->streams[0].bytes, 65536U);
    EXPECT_EQ(told->streams[1].ends.from, 6U);
    EXPECT_EQ(told->streams[1].at_first, 1U);
    EXPECT_EQ(told->streams[1].window, 7U);
    EXPECT_EQ(told->warm_up, 0.25);
    EXPECT_EQ(told->span, 1.5);
    EXPECT_EQ(told->settle, 0.125);
}

TEST(Orders, end_with_nothing) {
    EXPECT_FALSE(unpack_step(pack(std::optional<LatencyStep>())).has_value());
    EXPECT_TRUE(unpack_rounds(pack(std::vector<StreamRound>())).empty());
}

}  // namespace
}  // namespace espalier::measure
