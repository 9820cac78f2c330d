#include "schedule/mirror.hpp"

#include "schedule/validate.hpp"
#include "support/expanding.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace espalier::schedule {
namespace {

using namespace espalier::testing;
using ::testing::ElementsAre;
using ::testing::Pair;

std::string fault_of(const Schedule& schedule) {
    return find_violation(schedule).value_or(Violation{}).what;
}

TEST(Mirror, a_reduction_reversed_in_time_is_a_broadcast) {
    const Schedule broadcast = mirror(reduction());
    EXPECT_EQ(broadcast.collective.kind, Kind::broadcast);
    EXPECT_THAT(test::ends_of(broadcast), ElementsAre(Pair(0, 2), Pair(2, 3), Pair(0, 1)));
    for (const Transfer& transfer : broadcast.transfers) EXPECT_EQ(transfer.op, Op::copy);
    EXPECT_EQ(fault_of(broadcast), "");
}

TEST(Mirror, every_collective_has_one_that_does_its_job) {
    const struct {
        Schedule schedule;
        Kind kind;
    } cases[] = {{reduction(), Kind::broadcast},
                 {two_trees(), Kind::reduce},
                 {scatter(), Kind::gather},
                 {gather(), Kind::scatter},
                 {ring_allgather(), Kind::reduce_scatter},
                 {reduce_scatter(), Kind::allgather},
                 {reduction_and_broadcast(), Kind::allreduce},
                 {ring_allreduce(), Kind::allreduce},
                 {total_exchange(), Kind::alltoall},
                 {barrier(), Kind::barrier},
                 {with_blocks(scatter(), {5, 70, 20, 90}), Kind::gather},
                 {with_blocks(gather(), {5, 70, 20, 90}), Kind::scatter},
                 {with_blocks(ring_allgather(), {5, 70, 20, 90}), Kind::reduce_scatter},
                 {with_blocks(reduce_scatter(), {40, 7}), Kind::allgather}};
    for (const auto& [schedule, kind] : cases) {
        SCOPED_TRACE(name_of(schedule.collective.kind));
        ASSERT_EQ(fault_of(schedule), "");
        const Schedule mirrored = mirror(schedule);
        EXPECT_EQ(mirrored.collective.kind, kind);
        EXPECT_EQ(fault_of(mirrored), "");
        const Schedule again = mirror(mirrored);
        EXPECT_EQ(again.collective.kind, schedule.collective.kind);
        EXPECT_EQ(test::ends_of(again), test::ends_of(schedule));
        for (std::size_t t = 0; t < again.transfers.size(); ++t) {
            EXPECT_EQ(again.transfers[t].op, schedule.transfers[t].op);
            EXPECT_EQ(again.transfers[t].chunk, schedule.transfers[t].chunk);
        }
    }
}

TEST(Mirror, what_was_done_inside_afterwards_is_done_before) {
    Schedule between = hand_made(Kind::broadcast, 2, 100);
    add_copy(between, 0, 1);
    Schedule inside = hand_made(Kind::broadcast, 3, 100);
    add_copy(inside, 0, 1);
    add_copy(inside, 1, 2);
    between.local = {test::part_of(0, inside), test::part_of(1, inside)};
    const std::vector<Group> groups{test::group_of("a", 3), test::group_of("b", 3)};

    const Schedule reduction = mirror(between);
    EXPECT_EQ(reduction.local.front().node, 1U);
    EXPECT_EQ(reduction.local.front().phase, LocalPart::Phase::before);
    EXPECT_EQ(reduction.local.front().schedule->collective.kind, Kind::reduce);
    const Schedule ranks = expand(reduction, groups);
    EXPECT_THAT(test::ends_of(ranks),
                ElementsAre(Pair(5, 4), Pair(4, 3), Pair(2, 1), Pair(1, 0), Pair(3, 0)));
    EXPECT_EQ(test::ends_of(ranks), test::ends_of(mirror(expand(between, groups))));
    EXPECT_EQ(fault_of(ranks), "");
}

TEST(Mirror, what_was_for_others_of_an_uneven_exchange_comes_from_them) {
    Schedule schedule = total_exchange();
    Matrix<Bytes> sizes(3, 3, Bytes(100));
    sizes(0, 2) = Bytes(7);
    for (Chunk& chunk : schedule.chunks) chunk.bytes = sizes(*chunk.source, *chunk.target);
    schedule.collective.sizes = std::make_shared<const Matrix<Bytes>>(sizes);
    const Schedule mirrored = mirror(schedule);
    EXPECT_EQ(mirrored.collective.block(2, 0), Bytes(7));
    EXPECT_EQ(mirrored.collective.block(0, 2), Bytes(100));
    EXPECT_EQ(fault_of(mirrored), "");
}

TEST(Mirror, a_scan_has_none) {
    for (const Kind kind : {Kind::scan, Kind::exscan})
        EXPECT_THROW(static_cast<void>(mirror(chain_scan(kind))), std::invalid_argument);
}

TEST(Mirror, a_handshake_has_none) {
    Schedule schedule = hand_made(Kind::broadcast, 2, 100);
    add_copy(schedule, 0, 1);
    schedule.transfers.front().after = 0;
    EXPECT_THROW(static_cast<void>(mirror(schedule)), std::invalid_argument);
    schedule.transfers.front().after.reset();
    schedule.chunks.push_back(chunk_of(1));
    schedule.chunks.back().control = true;
    EXPECT_THROW(static_cast<void>(mirror(schedule)), std::invalid_argument);
}

}  // namespace
}  // namespace espalier::schedule
