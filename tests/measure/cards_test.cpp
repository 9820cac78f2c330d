#include "measure/method/cards.hpp"
#include "hidden_network.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <set>

namespace espalier::measure {
namespace {

using ::testing::ElementsAre;
using Clusters = std::vector<std::vector<std::size_t>>;

/// What is found where the hosts of `slow` have a card of a third of the others'.
Clusters found_with(const Clusters& clusters, std::size_t hosts,
                    const std::set<std::size_t>& slow) {
    LatencyMatrix latencies(hosts);
    for (std::size_t i = 0; i < hosts; ++i)
        for (std::size_t j = 0; j < hosts; ++j)
            if (i != j) latencies.at(i, j) = 50e-6;
    const std::vector<StreamRound> rounds = plan_cards(clusters, latencies);
    std::vector<RoundWindows> rates;
    for (const StreamRound& round : rounds) {
        RoundWindows& found = rates.emplace_back();
        for (const Stream& stream : round.streams) {
            const bool is_slow = slow.contains(stream.ends.from) || slow.contains(stream.ends.to);
            // Busy machines: some streams are slower than their cards.
            const double luck = (stream.ends.from + stream.ends.to) % 3 == 0 ? 0.75 : 1;
            found.push_back({luck * (is_slow ? 20e6 : 60e6)});
        }
    }
    return split_by_cards(clusters, rounds, rates);
}

TEST(Cards, that_are_slow_stand_out) {
    const Clusters two{{0, 1, 2, 3, 4}, {5, 6, 7, 8}};
    EXPECT_EQ(found_with(two, 9, {}), two);
    EXPECT_THAT(found_with(two, 9, {3}),
                ElementsAre(ElementsAre(0, 1, 2, 4), ElementsAre(3), ElementsAre(5, 6, 7, 8)));
    EXPECT_THAT(found_with(two, 9, {6}),
                ElementsAre(ElementsAre(0, 1, 2, 3, 4), ElementsAre(5, 7, 8), ElementsAre(6)));
}

TEST(Cards, of_several_hosts_that_are_slow_are_alike) {
    const Clusters one{{0, 1, 2, 3, 4, 5, 6, 7}};
    EXPECT_THAT(found_with(one, 8, {1, 2, 6}),
                ElementsAre(ElementsAre(0, 3, 4, 5, 7), ElementsAre(1, 2, 6)));
    EXPECT_EQ(found_with(one, 8, {0, 1, 2, 3, 4, 5, 6, 7}), one);
}

TEST(Cards, of_three_hosts_or_two_are_not_told_apart) {
    const Clusters pairs{{0, 1}, {2, 3, 4}};
    EXPECT_TRUE(plan_cards(pairs, LatencyMatrix(5)).empty());
}

TEST(Cards, are_tried_one_ring_after_the_other) {
    const std::vector<StreamRound> rounds = plan_cards({{0, 1, 2, 3}}, LatencyMatrix(4));
    ASSERT_EQ(rounds.size(), 2U);
    EXPECT_GE(rounds[1].begins, rounds[0].warm_up + rounds[0].span);
}

}  // namespace
}  // namespace espalier::measure
