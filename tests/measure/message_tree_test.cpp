#include "measure/method/message_tree.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier::measure {
namespace {

using ::testing::ElementsAre;
using Groups = std::vector<std::vector<int>>;

/// Ranks dealt to groups by turns.
Groups dealt(int ranks, int groups) {
    Groups all(static_cast<std::size_t>(groups));
    for (int rank = 0; rank < ranks; ++rank)
        all[static_cast<std::size_t>(rank % groups)].push_back(rank);
    return all;
}

std::vector<MessageTree> places(const Groups& groups, int ranks) {
    std::vector<MessageTree> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(message_tree(groups, rank));
    return all;
}

int depth(const std::vector<MessageTree>& tree, int rank) {
    int steps = 0;
    for (; rank != 0; ++steps) rank = tree[static_cast<std::size_t>(rank)].parent;
    return steps;
}

TEST(MessageTree, reaches_every_rank_once) {
    for (const auto& [ranks, groups] : {std::pair(1, 1), {2, 1}, {7, 3}, {64, 1}, {300, 4}}) {
        const auto tree = places(dealt(ranks, groups), ranks);
        std::vector<int> all = tree[0].ranks;
        std::ranges::sort(all);
        std::vector<int> expected(static_cast<std::size_t>(ranks));
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(all, expected);
        for (int rank = 0; rank < ranks; ++rank) {
            const MessageTree& place = tree[static_cast<std::size_t>(rank)];
            EXPECT_EQ(place.ranks.front(), rank);
            std::size_t next = 1;
            for (std::size_t c = 0; c < place.children.size(); ++c) {
                const MessageTree& child = tree[static_cast<std::size_t>(place.children[c])];
                EXPECT_EQ(child.parent, rank);
                EXPECT_EQ(child.ranks.size(), place.sizes[c]);
                for (const int below : child.ranks) EXPECT_EQ(place.ranks[next++], below);
            }
            EXPECT_EQ(next, place.ranks.size());
        }
    }
}

TEST(MessageTree, enters_every_other_group_once) {
    const Groups groups = dealt(300, 4);
    const auto tree = places(groups, 300);
    std::vector<std::size_t> entered(groups.size(), 0);
    for (int rank = 1; rank < 300; ++rank)
        if (tree[static_cast<std::size_t>(rank)].parent % 4 != rank % 4)
            ++entered[static_cast<std::size_t>(rank % 4)];
    EXPECT_THAT(entered, ElementsAre(0, 1, 1, 1));
}

TEST(MessageTree, is_a_star_of_few_ranks) {
    EXPECT_EQ(message_tree(dealt(64, 1), 0).children.size(), 63U);
}

TEST(MessageTree, gives_nobody_many_to_speak_to) {
    for (const int groups : {1, 10, 500}) {
        const auto tree = places(dealt(1000, groups), 1000);
        for (int rank = 0; rank < 1000; ++rank) {
            EXPECT_LE(tree[static_cast<std::size_t>(rank)].children.size(), 128U) << groups;
            EXPECT_LE(depth(tree, rank), 4);
        }
    }
}

}  // namespace
}  // namespace espalier::measure
