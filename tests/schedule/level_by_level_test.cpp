#include "schedule/level_by_level.hpp"

#include "schedule/validate.hpp"
#include "support/expanding.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

namespace espalier::schedule {
namespace {

using namespace espalier::test;
using ::testing::ElementsAre;
using ::testing::Pair;

/// b's coordinator collects from two nodes inside and sends to a's.
Schedule reduction_of(std::size_t segments_between, std::size_t segments_inside) {
    Schedule between = hand_made(Kind::reduce, 2, 10);
    between.chunks.front().segments = segments_between;
    add_combine(between, 1, 0);
    Schedule inside = hand_made(Kind::reduce, 3, 10);
    inside.chunks.front().segments = segments_inside;
    add_combine(inside, 2, 1);
    add_combine(inside, 1, 0);
    between.local = {test::part_of(1, inside, LocalPart::Phase::before)};
    return between;
}

const std::vector<Group> groups{{"a", {}}, test::group_of("b", 3)};

TEST(LevelByLevel, what_is_cut_alike_stays_a_pipeline) {
    for (const std::size_t segments : {1U, 4U}) {
        const Schedule same = level_by_level(reduction_of(segments, segments));
        EXPECT_EQ(same.local.front().schedule->chunks.size(), 1U);
        EXPECT_EQ(same.local.front().schedule->transfers.size(), 2U);
    }
}

TEST(LevelByLevel, what_is_cut_inside_only_is_listed_segment_by_segment) {
    const Schedule spelled = level_by_level(reduction_of(1, 3));
    const Schedule& inside = *spelled.local.front().schedule;
    ASSERT_EQ(inside.chunks.size(), 3U);
    EXPECT_EQ(inside.chunks[0].bytes, Bytes(4));
    EXPECT_EQ(inside.chunks[2].bytes, Bytes(2));
    EXPECT_THAT(test::ends_of(inside), ElementsAre(Pair(2, 1), Pair(1, 0), Pair(2, 1), Pair(1, 0),
                                                   Pair(2, 1), Pair(1, 0)));
    const Schedule ranks = expand(spelled, groups);
    EXPECT_EQ(find_violation(ranks).value_or(Violation{}).what, "");
    ASSERT_EQ(ranks.transfers.size(), 7U);
    EXPECT_EQ(ranks.transfers.back().chunks, 3U);
    for (const Transfer& transfer : ranks.transfers) EXPECT_EQ(ranks.segments_of(transfer), 1U);
}

}  // namespace
}  // namespace espalier::schedule
