#include "runtime/logic/tags.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <set>
#include <vector>

namespace espalier::runtime {
namespace {

constexpr int promised = 32767;  // by MPI

TEST(Tags, of_communicators_that_share_ranks_are_never_the_same) {
    for (const int greatest : {promised, 1'000'000, 268'435'455, std::numeric_limits<int>::max()}) {
        Tags tags(greatest, 25);
        std::set<int> all;
        std::size_t expected = 0;
        for (int leader = 0; leader < 25; ++leader) {
            // Each rank has tags of its own to give away.
            Tags of_leader(greatest, 25);
            for (int number = 0; number < 16; ++number) {
                const auto block = of_leader.take(leader);
                ASSERT_TRUE(block.has_value());
                for (std::uint64_t call = 0; call < 31; ++call, ++expected) {
                    const int tag = tags.tag(*block, call);
                    EXPECT_GT(tag, 0);
                    EXPECT_LE(tag, greatest);
                    all.insert(tag);
                }
                ++expected;
                all.insert(tags.tag_beside_calls(*block));
            }
        }
        EXPECT_EQ(all.size(), expected) << greatest;
    }
}

TEST(Tags, of_calls_that_follow_each_other_differ) {
    Tags tags(promised, 1000);
    const auto block = tags.take(999);
    ASSERT_TRUE(block.has_value());
    for (std::uint64_t call = 0; call < 10'000; ++call) {
        EXPECT_NE(tags.tag(*block, call), tags.tag(*block, call + 1));
        EXPECT_GT(tags.tag(*block, call), 0);
        EXPECT_LE(tags.tag(*block, call), promised);
    }
}

TEST(Tags, are_used_again_when_there_are_no_others) {
    Tags tags(promised, 1000);
    std::vector<Tags::Block> all;
    while (const auto block = tags.take(3)) all.push_back(*block);
    EXPECT_EQ(all.size(), 4u) << "15 bits: 10 for ranks, 2 for communicators, 3 for calls";
    tags.give_back(all[1]);
    EXPECT_EQ(tags.take(3), all[1]);
    EXPECT_EQ(tags.take(3), std::nullopt);
    tags.give_back(all[2]);
    tags.give_back(all[0]);
    EXPECT_EQ(tags.take(3), all[2]) << "the one that rested longer";
}

TEST(Tags, are_too_few_for_very_many_ranks) {
    Tags tags(promised, 20'000);
    EXPECT_EQ(tags.take(0), std::nullopt);
    Tags more(std::numeric_limits<int>::max(), 20'000);
    EXPECT_TRUE(more.take(19'999).has_value());
}

}  // namespace
}  // namespace espalier::runtime
