#include "schedule/validate.hpp"
#include "support/expanding.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace espalier::schedule {
namespace {

using espalier::testing::add_combine;
using espalier::testing::add_copy;
using espalier::testing::chunk_of;
using espalier::testing::drop;
using espalier::testing::hand_made;
using test::ends_of;
using test::group_of;
using test::part_of;
using ::testing::ElementsAre;
using ::testing::Pair;

std::string fault_of(const Schedule& schedule) {
    const auto violation = find_violation(schedule);
    return violation ? violation->what : "";
}

/// b to a, in one group of two.
Schedule pair_reduction() {
    Schedule inner = hand_made(Kind::reduce, 2, 100);
    add_combine(inner, 1, 0);
    return inner;
}
Schedule pair_broadcast(std::size_t root = 0) {
    Schedule inner = hand_made(Kind::broadcast, 2, 100, root);
    add_copy(inner, root, 1 - root);
    return inner;
}

TEST(Expand, a_broadcast_goes_on_inside_each_group_after_its_coordinators_transfers) {
    Schedule top = hand_made(Kind::broadcast, 3, 100, 1);
    add_copy(top, 1, 0);
    add_copy(top, 1, 2);
    top.local = {part_of(0, pair_broadcast()), part_of(1, pair_broadcast(1))};
    top.algorithm = "hand";
    top.network = "sha256:0";
    top.epoch = 3;
    const Schedule ranks = expand(top, {group_of("x", 2), group_of("y", 2), Group{"z", {}}});
    EXPECT_EQ(fault_of(ranks), "");
    EXPECT_THAT(ranks.nodes, ElementsAre("x0", "x1", "y0", "y1", "z"));
    EXPECT_EQ(ranks.collective.nodes, 5U);
    EXPECT_EQ(ranks.collective.root, 3U) << "the coordinator of y is the root of its schedule";
    EXPECT_THAT(ends_of(ranks), ElementsAre(Pair(3, 0), Pair(3, 4), Pair(0, 1), Pair(3, 2)));
    EXPECT_EQ(ranks.algorithm, "hand");
    EXPECT_EQ(ranks.network, "sha256:0");
    EXPECT_EQ(ranks.epoch, 3U);
    EXPECT_TRUE(ranks.local.empty());
    for (std::size_t t = 0; t < ranks.transfers.size(); ++t) {
        Schedule broken = ranks;
        drop(broken, t);
        EXPECT_NE(fault_of(broken), "") << "without transfer " << t;
    }
}

TEST(Expand, a_reduction_comes_from_inside_each_group_before_its_coordinators_transfers) {
    Schedule top = hand_made(Kind::reduce, 2, 100);
    add_combine(top, 1, 0);
    top.local = {part_of(0, pair_reduction(), LocalPart::Phase::before),
                 part_of(1, pair_reduction(), LocalPart::Phase::before)};
    const std::vector<Group> groups{group_of("x", 2), group_of("y", 2)};
    const Schedule ranks = expand(top, groups);
    EXPECT_EQ(fault_of(ranks), "");
    EXPECT_THAT(ends_of(ranks), ElementsAre(Pair(1, 0), Pair(3, 2), Pair(2, 0)));
    Schedule ordered = ranks;
    ordered.collective.ordered = true;
    EXPECT_EQ(fault_of(ordered), "");
    // After its coordinator has sent, a group's own reduction comes too late.
    top.local[1].phase = LocalPart::Phase::after;
    EXPECT_EQ(fault_of(expand(top, groups)), "node 'x0' ends with an incomplete chunk 0");
}

TEST(Expand, an_all_reduction_has_parts_before_and_after) {
    Schedule top = hand_made(Kind::allreduce, 2, 100);
    add_combine(top, 1, 0);
    add_copy(top, 0, 1);
    for (std::size_t group = 0; group < 2; ++group) {
        top.local.push_back(part_of(group, pair_reduction(), LocalPart::Phase::before));
        top.local.push_back(part_of(group, pair_broadcast(), LocalPart::Phase::after));
    }
    const Schedule ranks = expand(top, {group_of("x", 2), group_of("y", 2)});
    EXPECT_EQ(fault_of(ranks), "");
    EXPECT_THAT(ends_of(ranks), ElementsAre(Pair(1, 0), Pair(3, 2), Pair(2, 0), Pair(0, 2),
                                            Pair(0, 1), Pair(2, 3)));
}

TEST(Expand, groups_nest) {
    // Sites of clusters of hosts of ranks; the root is the very last rank.
    const Group host{"h", {{"h:0", {}}, {"h:1", {}}}};
    const Group cluster{"k", {{"k0", {}}, host}};
    const Group site{"s", {{"s0", {}}, cluster}};
    const auto inside = [](std::shared_ptr<const Schedule> below) {
        Schedule level = pair_broadcast(1);
        if (below) level.local = {part_of(1, *below)};
        return std::make_shared<const Schedule>(level);
    };
    Schedule top = hand_made(Kind::broadcast, 2, 100, 1);
    add_copy(top, 1, 0);
    top.local = {part_of(1, *inside(inside(inside(nullptr))))};
    const Schedule ranks = expand(top, {{"far", {}}, site});
    EXPECT_EQ(fault_of(ranks), "");
    EXPECT_THAT(ranks.nodes, ElementsAre("far", "s0", "k0", "h:0", "h:1"));
    EXPECT_EQ(ranks.collective.root, 4U);
    EXPECT_THAT(ends_of(ranks), ElementsAre(Pair(4, 0), Pair(4, 1), Pair(4, 2), Pair(4, 3)));
}

TEST(Expand, levels_may_cut_the_message_differently) {
    // Two stripes between the groups, three blocks scattered and collected inside one.
    Schedule top = hand_made(Kind::broadcast, 2, 100);
    top.chunks = {chunk_of(50), chunk_of(50)};
    add_copy(top, 0, 1, 0);
    add_copy(top, 0, 1, 1);
    Schedule inner = hand_made(Kind::broadcast, 3, 100);
    inner.chunks = {chunk_of(34), chunk_of(33), chunk_of(33)};
    add_copy(inner, 0, 1, 0).chunks = 2;
    add_copy(inner, 0, 2, 2);
    add_copy(inner, 1, 2, 0).chunks = 2;
    add_copy(inner, 2, 1, 2);
    top.local = {part_of(1, inner)};
    const Schedule ranks = expand(top, {{"x", {}}, group_of("y", 3)});
    EXPECT_EQ(fault_of(ranks), "");
    std::vector<std::uint64_t> sizes;
    for (const Chunk& chunk : ranks.chunks) sizes.push_back(chunk.bytes.value);
    EXPECT_THAT(sizes, ElementsAre(34, 16, 17, 33));
    std::vector<std::pair<std::size_t, std::size_t>> carried;
    for (const Transfer& transfer : ranks.transfers)
        carried.emplace_back(transfer.chunk, transfer.chunks);
    EXPECT_THAT(carried, ElementsAre(Pair(0, 2), Pair(2, 2), Pair(0, 3), Pair(3, 1), Pair(0, 3),
                                     Pair(3, 1)));
    for (const Transfer& transfer : ranks.transfers) EXPECT_EQ(ranks.segments_of(transfer), 1U);
}

TEST(Expand, a_message_may_be_whole_between_groups_and_in_segments_inside) {
    Schedule top = hand_made(Kind::broadcast, 2, 100);
    add_copy(top, 0, 1);
    Schedule inner = pair_broadcast();
    inner.chunks[0].segments = 5;
    top.local = {part_of(1, inner)};
    const Schedule ranks = expand(top, {{"x", {}}, group_of("y", 2)});
    EXPECT_EQ(fault_of(ranks), "");
    ASSERT_EQ(ranks.chunks.size(), 1U);
    EXPECT_EQ(ranks.segments_of(ranks.transfers[0]), 1U);
    EXPECT_EQ(ranks.segments_of(ranks.transfers[1]), 5U);
    top.chunks[0].segments = 7;
    const Schedule pipelined = expand(top, {{"x", {}}, group_of("y", 2)});
    EXPECT_EQ(pipelined.segments_of(pipelined.transfers[0]), 7U);
    EXPECT_EQ(pipelined.segments_of(pipelined.transfers[1]), 5U);
}

TEST(Expand, keeps_answers_with_their_requests) {
    Schedule inner = hand_made(Kind::broadcast, 2, 100);
    inner.chunks.push_back(chunk_of(1));
    inner.chunks.back().control = true;
    add_copy(inner, 0, 1, 1);
    add_copy(inner, 1, 0, 1).after = 0;
    add_copy(inner, 0, 1, 0).after = 1;
    Schedule top = hand_made(Kind::broadcast, 2, 100);
    add_copy(top, 0, 1);
    top.local = {part_of(0, inner), part_of(1, inner)};
    const Schedule ranks = expand(top, {group_of("x", 2), group_of("y", 2)});
    EXPECT_EQ(fault_of(ranks), "");
    EXPECT_EQ(ranks.transfers[3].after, 2U);
    EXPECT_EQ(ranks.transfers[6].after, 5U);
    EXPECT_TRUE(ranks.chunks[ranks.transfers[5].chunk].control);
    EXPECT_FALSE(ranks.chunks[ranks.transfers[6].chunk].control);
}

TEST(Expand, leaves_every_collective_as_it_is_where_every_group_is_one_rank) {
    for (const Schedule& schedule : espalier::testing::one_of_every_kind()) {
        SCOPED_TRACE(name_of(schedule.collective.kind));
        std::vector<Group> groups(schedule.nodes.size());
        for (std::size_t g = 0; g < groups.size(); ++g) groups[g].name = schedule.nodes[g];
        const Schedule ranks = expand(schedule, groups);
        EXPECT_EQ(fault_of(ranks), "");
        EXPECT_EQ(ends_of(ranks), ends_of(schedule));
        EXPECT_EQ(ranks.collective.blocks, schedule.collective.blocks);
    }
}

TEST(Expand, blocks_of_a_group_of_several_ranks_are_nobodys) {
    const Schedule uneven =
        espalier::testing::with_blocks(espalier::testing::reduce_scatter(), {40, 7});
    Schedule inner = hand_made(Kind::broadcast, 2, 100);
    add_copy(inner, 0, 1);
    Schedule top = uneven;
    top.local = {part_of(1, inner)};
    EXPECT_THROW(static_cast<void>(expand(top, {{"x", {}}, group_of("y", 2)})),
                 std::invalid_argument);
}

TEST(Expand, a_message_of_no_bytes_reaches_everyone) {
    Schedule top = hand_made(Kind::broadcast, 2, 0);
    add_copy(top, 0, 1);
    Schedule inner = hand_made(Kind::broadcast, 2, 0);
    add_copy(inner, 0, 1);
    top.local = {part_of(1, inner)};
    const Schedule ranks = expand(top, {{"x", {}}, group_of("y", 2)});
    EXPECT_EQ(fault_of(ranks), "");
    EXPECT_EQ(ranks.transfers.size(), 2U);
}

TEST(Expand, refuses_what_does_not_fit) {
    Schedule top = hand_made(Kind::broadcast, 2, 100);
    add_copy(top, 0, 1);
    EXPECT_THROW(static_cast<void>(expand(top, {{"x", {}}})), std::invalid_argument);
    const std::vector<Group> groups{{"x", {}}, group_of("y", 2)};
    EXPECT_THROW(static_cast<void>(expand(top, groups)), std::invalid_argument);
    top.local = {part_of(1, hand_made(Kind::broadcast, 3, 100))};
    EXPECT_THROW(static_cast<void>(expand(top, groups)), std::invalid_argument);
    top.local[0].schedule = nullptr;
    EXPECT_THROW(static_cast<void>(expand(top, groups)), std::invalid_argument);
}

}  // namespace
}  // namespace espalier::schedule
