#include "measure/method/tournament.hpp"

#include <gmock/gmock.h>

#include <set>

namespace espalier::measure {
namespace {

TEST(Tournament, all_meet_once_and_nobody_twice_in_a_round) {
    for (std::size_t players = 1; players <= 25; ++players) {
        std::set<std::pair<std::size_t, std::size_t>> met;
        for (std::size_t round = 0; round < tournament_rounds(players); ++round) {
            std::set<std::size_t> busy;
            for (const auto& pair : pairs_of_round(players, round)) {
                EXPECT_LT(pair.first, pair.second);
                EXPECT_TRUE(met.insert(pair).second) << players << " players meet again";
                EXPECT_TRUE(busy.insert(pair.first).second);
                EXPECT_TRUE(busy.insert(pair.second).second);
            }
            EXPECT_EQ(busy.size(), players - players % 2);
        }
        EXPECT_EQ(met.size(), players * (players - 1) / 2);
    }
}

TEST(Tournament, opponents_agree_that_they_meet) {
    for (const std::size_t players : {2U, 5U, 8U})
        for (std::size_t round = 0; round < tournament_rounds(players); ++round)
            for (std::size_t player = 0; player < players; ++player)
                if (const auto other = opponent(players, round, player)) {
                    EXPECT_EQ(opponent(players, round, *other), player);
                }
}

TEST(Tournament, rounds_grow_with_players_and_not_with_pairs) {
    EXPECT_EQ(tournament_rounds(0), 0U);
    EXPECT_EQ(tournament_rounds(1), 0U);
    EXPECT_EQ(tournament_rounds(2), 1U);
    EXPECT_EQ(tournament_rounds(7), 7U);
    EXPECT_EQ(tournament_rounds(88), 87U);
}

}  // namespace
}  // namespace espalier::measure
