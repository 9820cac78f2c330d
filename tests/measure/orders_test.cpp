#include "measure/method/orders.hpp"
#include "measure/method/tournament.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace espalier::measure {
namespace {

using ::testing::UnorderedElementsAre;

TEST(Orders, name_whom_a_host_meets) {
    const LatencyStep step{{{4, 1}, {0, 2, 3}, {7}}, 0, 3, 5, Way::at_once};
    const auto orders = pack(step, 8);
    ASSERT_EQ(orders.size(), 9U);
    const auto told = unpack_part(orders[2]);
    ASSERT_TRUE(told.has_value());
    std::vector<std::uint32_t> met;
    for (const auto& opponent : told->opponents) {
        met.push_back(opponent.host);
        const auto other = unpack_part(orders[opponent.host]);
        EXPECT_TRUE(std::ranges::any_of(other->opponents, [&](const auto& back) {
            return back.host == 2 && back.round == opponent.round;
        }));
    }
    EXPECT_THAT(met, UnorderedElementsAre(0, 3));
    EXPECT_EQ(told->rounds, 3U);
    EXPECT_EQ(told->times, 5U);
    EXPECT_EQ(told->way, Way::at_once);
    for (const std::size_t idle : {5U, 7U, 8U}) {
        const auto rest = unpack_part(orders[idle]);
        ASSERT_TRUE(rest.has_value()) << "the stage is not over for who rests";
        EXPECT_TRUE(rest->opponents.empty());
    }
}

TEST(Orders, hand_the_turn_on_from_host_to_host) {
    using Pairs = std::vector<std::vector<std::size_t>>;
    const LatencyStep step{Pairs{{0, 2}, {0, 3}, {1, 2}}, 0, 3, 4, Way::in_turn};
    const auto orders = pack(step, 4);
    const auto first = unpack_part(orders[0]);
    ASSERT_EQ(first->turns.size(), 2U);
    EXPECT_TRUE(first->turns[0].asks);
    EXPECT_EQ(first->turns[0].before, 0U) << "it has the turn";
    EXPECT_EQ(first->turns[0].after, 0U) << "it keeps the turn";
    EXPECT_EQ(first->turns[1].after, 1U);
    const auto second = unpack_part(orders[1]);
    ASSERT_EQ(second->turns.size(), 1U);
    EXPECT_EQ(second->turns[0].before, 0U);
    EXPECT_EQ(second->turns[0].after, 1U) << "nobody comes after it";
    const auto asked = unpack_part(orders[2]);
    ASSERT_EQ(asked->turns.size(), 2U);
    EXPECT_FALSE(asked->turns[0].asks);
    EXPECT_EQ(asked->opponents[1].host, 1U);
    EXPECT_EQ(asked->opponents[1].round, 2U);
}

TEST(Orders, leave_out_rounds_that_the_step_does_not_have) {
    std::vector<std::size_t> all(1000);
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto orders = pack(LatencyStep{{all}, 2, 8}, all.size());
    const auto told = unpack_part(orders[17]);
    ASSERT_EQ(told->opponents.size(), 6U);
    EXPECT_EQ(told->opponents.front().host, all[*opponent(1000, 2, 17)]);
    EXPECT_EQ(told->opponents.back().round, 5U);
    EXPECT_LT(orders[17].size(), 100U) << "it names others, too";
}

TEST(Orders, name_the_streams_that_begin_or_end_at_a_host) {
    const StreamRound round{
        {{{3, 5}, 4096, 65536, 2, 40}, {{6, 1}, 1024, 1024, 1, 7}, {{5, 6}, 512, 512, 1, 8}},
        2,
        0.25,
        1.5,
        3,
        0.125};
    const auto orders = pack({StreamRound(), round}, 7);
    const auto all = unpack_rounds(orders[5]);
    ASSERT_EQ(all.size(), 1U) << "it hears of those that it takes part in";
    const StreamRound* told = &all[0];
    ASSERT_EQ(told->streams.size(), 2U);
    EXPECT_EQ(told->begins, 2);
    EXPECT_EQ(told->windows, 3U);
    EXPECT_EQ(told->streams[0].ends.from, 3U);
    EXPECT_EQ(told->streams[0].ends.to, 5U);
    EXPECT_EQ(told->streams[0].bytes, 65536U);
    EXPECT_EQ(told->streams[1].ends.to, 6U);
    EXPECT_EQ(told->streams[1].at_first, 1U);
    EXPECT_EQ(told->streams[1].window, 8U);
    EXPECT_EQ(told->warm_up, 0.25);
    EXPECT_EQ(told->span, 1.5);
    EXPECT_EQ(told->round_trip, 0.125);
    for (const std::size_t idle : {0U, 7U}) {
        const auto rest = unpack_rounds(orders[idle]);
        ASSERT_EQ(rest.size(), 1U) << "the stage is not over for who rests";
        EXPECT_EQ(rest[0].begins, 2) << "but after the last round";
        EXPECT_TRUE(rest[0].streams.empty());
    }
}

TEST(Orders, end_with_nothing) {
    EXPECT_FALSE(unpack_part(pack(std::optional<LatencyStep>(), 3)[1]).has_value());
    EXPECT_TRUE(unpack_rounds(pack(std::vector<StreamRound>(), 3)[1]).empty());
}

}  // namespace
}  // namespace espalier::measure
