#include "schedule/validate.hpp"

#include "support/hand_schedules.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

namespace espalier::schedule {
namespace {

using espalier::test::add_combine;
using espalier::test::add_copy;
using espalier::test::barrier;
using espalier::test::chain_scan;
using espalier::test::chunk_of;
using espalier::test::doubling_scan;
using espalier::test::drop;
using espalier::test::gather;
using espalier::test::hand_made;
using espalier::test::one_of_every_kind;
using espalier::test::reduce_scatter;
using espalier::test::reduction;
using espalier::test::reduction_and_broadcast;
using espalier::test::ring_allgather;
using espalier::test::ring_allreduce;
using espalier::test::scatter;
using espalier::test::total_exchange;
using espalier::test::two_trees;
using espalier::test::with_blocks;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string fault_of(const Schedule& schedule) {
    const auto violation = find_violation(schedule);
    return violation ? violation->what : "";
}

/// A schedule with one thing changed.
std::string fault_after(Schedule schedule, const std::function<void(Schedule&)>& change) {
    change(schedule);
    return fault_of(schedule);
}

TEST(Validate, accepts_a_hand_written_schedule_of_every_collective) {
    for (const Schedule& schedule : one_of_every_kind())
        EXPECT_EQ(fault_of(schedule), "") << name_of(schedule.collective.kind);
}

TEST(Validate, every_transfer_of_those_schedules_is_needed) {
    for (const Schedule& schedule : one_of_every_kind())
        for (std::size_t t = 0; t < schedule.transfers.size(); ++t)
            EXPECT_NE(fault_after(schedule, [&](Schedule& s) { drop(s, t); }), "")
                << name_of(schedule.collective.kind) << " without transfer " << t;
}

TEST(Validate, names_the_node_and_chunk_that_a_dropped_transfer_leaves_incomplete) {
    EXPECT_EQ(fault_after(reduction(), [](Schedule& s) { drop(s, 1); }),
              "node 'a' ends with an incomplete chunk 0");
    EXPECT_EQ(fault_after(reduction_and_broadcast(), [](Schedule& s) { drop(s, 5); }),
              "node 'd' ends with an incomplete chunk 0");
    EXPECT_EQ(fault_after(total_exchange(), [](Schedule& s) { drop(s, 3); }),
              "node 'c' ends without chunk 3");
    EXPECT_EQ(fault_after(two_trees(), [](Schedule& s) { drop(s, 3); }),
              "node 'b' ends without chunk 1");
    EXPECT_EQ(fault_after(ring_allgather(), [](Schedule& s) { drop(s, 11); }),
              "node 'a' ends without chunk 1");
}

TEST(Validate, rejects_a_contribution_that_is_combined_twice) {
    EXPECT_THAT(fault_after(reduction(), [](Schedule& s) { add_combine(s, 1, 0); }),
                AllOf(HasSubstr("transfer 3"), HasSubstr("'b'"), HasSubstr("chunk 0"),
                      HasSubstr("'a'"), HasSubstr("already")));
    EXPECT_THAT(fault_after(ring_allreduce(),
                            [](Schedule& s) {
                                s.transfers.insert(s.transfers.begin() + 3, s.transfers[0]);
                            }),
                AllOf(HasSubstr("transfer 3"), HasSubstr("already")));
    EXPECT_THAT(fault_after(reduce_scatter(), [](Schedule& s) { add_combine(s, 0, 1, 1); }),
                HasSubstr("already"));
}

TEST(Validate, keeps_the_order_of_operands_only_where_the_operator_needs_it) {
    const auto ordered = [](Schedule& s) { s.collective.ordered = true; };
    EXPECT_EQ(fault_after(reduction(), ordered), "");
    const auto c_first = [](Schedule& s) { std::swap(s.transfers[0], s.transfers[2]); };
    // d to c comes before c to a still.
    const auto reordered = [&](Schedule& s) {
        c_first(s);
        std::swap(s.transfers[0], s.transfers[1]);
    };
    EXPECT_EQ(fault_after(reduction(), reordered), "");
    EXPECT_THAT(fault_after(reduction(),
                            [&](Schedule& s) {
                                reordered(s);
                                ordered(s);
                            }),
                AllOf(HasSubstr("transfer 1"), HasSubstr("'c'"), HasSubstr("chunk 0"),
                      HasSubstr("'a'"), HasSubstr("out of rank order")));
    // A ring starts each stripe at another rank: last and first meet before those between them.
    EXPECT_THAT(fault_after(ring_allreduce(), ordered), HasSubstr("out of rank order"));
}

TEST(Validate, rejects_sending_what_is_not_held) {
    EXPECT_EQ(fault_after(total_exchange(), [](Schedule& s) { s.transfers[0].from = 2; }),
              "node 'c' sends chunk 0 to 'b' in transfer 0 without holding it");
    EXPECT_EQ(
        fault_after(two_trees(), [](Schedule& s) { std::swap(s.transfers[0], s.transfers[2]); }),
        "node 'b' sends chunk 0 to 'c' in transfer 0 without holding it");
    EXPECT_EQ(
        fault_after(scatter(), [](Schedule& s) { std::swap(s.transfers[0], s.transfers[2]); }),
        "node 'c' sends chunk 3 to 'd' in transfer 0 without holding it");
    EXPECT_EQ(fault_after(ring_allgather(),
                          [](Schedule& s) { std::swap(s.transfers[0], s.transfers[4]); }),
              "node 'a' sends chunk 3 to 'b' in transfer 0 without holding it");
}

TEST(Validate, rejects_copying_over_contributions_that_would_be_lost) {
    // a answers c before c has given it what c and d hold.
    EXPECT_THAT(fault_after(reduction_and_broadcast(),
                            [](Schedule& s) { std::swap(s.transfers[2], s.transfers[3]); }),
                AllOf(HasSubstr("transfer 2"), HasSubstr("overwrites"), HasSubstr("chunk 0"),
                      HasSubstr("'c'")));
}

TEST(Validate, rejects_combining_where_nothing_combines) {
    EXPECT_THAT(fault_after(two_trees(), [](Schedule& s) { s.transfers[0].op = Op::combine; }),
                AllOf(HasSubstr("transfer 0"), HasSubstr("broadcast")));
}

TEST(Validate, a_message_of_several_chunks_must_be_held_in_full) {
    EXPECT_THAT(
        fault_after(gather(), [](Schedule& s) { std::swap(s.transfers[0], s.transfers[2]); }),
        AllOf(HasSubstr("'c' sends chunk 3"), HasSubstr("without holding it")));
    EXPECT_THAT(fault_after(scatter(), [](Schedule& s) { s.transfers[0].chunks = 3; }),
                HasSubstr("a chunk that does not exist"));
}

TEST(Validate, rejects_what_joins_no_two_nodes) {
    EXPECT_THAT(fault_after(two_trees(), [](Schedule& s) { s.transfers[1].to = 0; }),
                HasSubstr("transfer 1"));
    EXPECT_THAT(fault_after(two_trees(), [](Schedule& s) { s.transfers[1].to = 3; }),
                HasSubstr("transfer 1"));
    EXPECT_THAT(fault_after(two_trees(), [](Schedule& s) { s.transfers[1].chunk = 2; }),
                HasSubstr("transfer 1"));
    EXPECT_THAT(fault_after(two_trees(), [](Schedule& s) { s.transfers[1].segments = 0; }),
                HasSubstr("transfer 1"));
    EXPECT_THAT(fault_after(two_trees(), [](Schedule& s) { s.chunks[1].segments = 0; }),
                HasSubstr("chunk 1"));
    EXPECT_THAT(fault_after(two_trees(), [](Schedule& s) { s.collective.root = 3; }),
                HasSubstr("root"));
    EXPECT_THAT(fault_after(two_trees(), [](Schedule& s) { s.nodes.pop_back(); }),
                HasSubstr("nodes"));
}

TEST(Validate, a_transfer_can_only_await_what_its_sender_received_before) {
    Schedule schedule = two_trees();
    schedule.transfers[2].after = 0;
    EXPECT_EQ(fault_of(schedule), "");
    for (const std::size_t bad : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{9}}) {
        schedule.transfers[2].after = bad;
        EXPECT_THAT(fault_of(schedule), AllOf(HasSubstr("transfer 2"), HasSubstr("'b'"))) << bad;
    }
}

TEST(Validate, control_messages_are_nobodys_data) {
    Schedule schedule = hand_made(Kind::broadcast, 2, 100);
    schedule.chunks.push_back(chunk_of(1));
    schedule.chunks.back().control = true;
    add_copy(schedule, 0, 1, 1);
    add_copy(schedule, 1, 0, 1).after = 0;
    add_copy(schedule, 0, 1, 0).after = 1;
    EXPECT_EQ(fault_of(schedule), "");
    schedule.chunks[1].control = false;
    EXPECT_THAT(fault_of(schedule), HasSubstr("101 bytes"));
}

TEST(Validate, stripes_of_an_item_must_add_up_to_it) {
    EXPECT_EQ(fault_after(two_trees(), [](Schedule& s) { s.chunks[0].bytes = Bytes(99); }),
              "chunks of 199 bytes stand for an item of 200");
    EXPECT_THAT(fault_after(total_exchange(), [](Schedule& s) { s.chunks[4].bytes = Bytes(101); }),
                HasSubstr("101 bytes"));
}

TEST(Validate, every_item_of_the_collective_must_be_there) {
    EXPECT_EQ(fault_after(total_exchange(),
                          [](Schedule& s) {
                              drop(s, 5);
                              s.chunks.pop_back();
                          }),
              "no chunk stands for the data from 'c' for 'b'");
    EXPECT_THAT(fault_after(ring_allgather(), [](Schedule& s) { s.chunks[3].source = 2; }),
                HasSubstr("200 bytes"));
}

TEST(Validate, data_of_others_are_no_part_of_a_collective) {
    // b broadcasts what it has, where a is the root.
    Schedule schedule = hand_made(Kind::broadcast, 2, 100);
    schedule.chunks[0].source = 1;
    add_copy(schedule, 1, 0);
    EXPECT_THAT(fault_of(schedule), AllOf(HasSubstr("chunk 0"), HasSubstr("from 'b'")));
    EXPECT_THAT(fault_after(scatter(), [](Schedule& s) { s.chunks[3].source = 2; }),
                AllOf(HasSubstr("chunk 3"), HasSubstr("from 'c'")));
    EXPECT_THAT(fault_after(gather(), [](Schedule& s) { s.chunks[3].target = 2; }),
                AllOf(HasSubstr("chunk 3"), HasSubstr("for 'c'")));
    EXPECT_THAT(fault_after(reduction(), [](Schedule& s) { s.chunks[0].source = 1; }),
                HasSubstr("chunk 0"));
    EXPECT_THAT(fault_after(total_exchange(), [](Schedule& s) { s.chunks[0].target = {}; }),
                HasSubstr("chunk 0"));
}

TEST(Validate, a_label_that_means_the_root_may_be_left_out) {
    EXPECT_EQ(fault_after(two_trees(), [](Schedule& s) { s.chunks[1].source = 0; }), "");
    EXPECT_EQ(fault_after(reduction(), [](Schedule& s) { s.chunks[0].target = 0; }), "");
    EXPECT_EQ(fault_after(scatter(), [](Schedule& s) { s.chunks[0].target = {}; }), "");
    EXPECT_EQ(fault_after(gather(), [](Schedule& s) { s.chunks[2].target = 0; }), "");
}

TEST(Validate, a_nodes_block_for_itself_may_be_left_out) {
    const auto without_first = [](Schedule& s) {
        s.chunks.erase(s.chunks.begin());
        for (auto& transfer : s.transfers) --transfer.chunk;
    };
    EXPECT_EQ(fault_after(scatter(), without_first), "");
    EXPECT_EQ(fault_after(gather(), without_first), "");
    Schedule exchange = total_exchange();
    exchange.chunks.push_back(chunk_of(100));
    exchange.chunks.back().source = exchange.chunks.back().target = 1;
    EXPECT_EQ(fault_of(exchange), "");
    // Others need everyone's contribution to it.
    EXPECT_NE(fault_after(reduce_scatter(),
                          [](Schedule& s) {
                              drop(s, 1);
                              s.chunks.erase(s.chunks.begin());
                              s.transfers[0].chunk = 0;
                          }),
              "");
}

TEST(Validate, blocks_of_an_exchange_may_differ_and_be_empty) {
    Schedule exchange = total_exchange();
    Matrix<Bytes> sizes(3, 3, Bytes(100));
    sizes(exchange.chunks[0].source.value(), exchange.chunks[0].target.value()) = Bytes(0);
    exchange.collective.sizes = std::make_shared<const Matrix<Bytes>>(sizes);
    EXPECT_THAT(fault_of(exchange), HasSubstr("chunks of 100 bytes stand for an item of 0"));
    exchange.chunks[0].bytes = Bytes(0);
    EXPECT_EQ(fault_of(exchange), "");
    EXPECT_EQ(fault_after(exchange,
                          [](Schedule& s) {
                              std::size_t first = 0;
                              while (s.transfers[first].chunk != 0) ++first;
                              drop(s, first);
                              s.chunks.erase(s.chunks.begin());
                              for (auto& transfer : s.transfers) --transfer.chunk;
                          }),
              "");
    exchange.collective.sizes = std::make_shared<const Matrix<Bytes>>(2, 2, Bytes(100));
    EXPECT_EQ(fault_of(exchange), "sizes are not 3 x 3");
}

TEST(Validate, after_a_barrier_everyone_has_heard_of_everyone) {
    EXPECT_EQ(fault_after(barrier(), [](Schedule& s) { drop(s, 3); }),
              "node 'c' ends with an incomplete chunk 0");
    // a is told before b has heard of it.
    EXPECT_THAT(
        fault_after(barrier(), [](Schedule& s) { std::swap(s.transfers[1], s.transfers[2]); }),
        AllOf(HasSubstr("transfer 1"), HasSubstr("overwrites"), HasSubstr("'a'")));
    EXPECT_EQ(fault_after(barrier(), [](Schedule& s) { s.chunks.clear(); }),
              "transfer 0 carries a chunk that does not exist");
    EXPECT_EQ(fault_after(barrier(),
                          [](Schedule& s) {
                              s.chunks.clear();
                              s.transfers.clear();
                          }),
              "no chunk stands for the data of all");
    EXPECT_EQ(fault_after(barrier(),
                          [](Schedule& s) {
                              s.collective.bytes = Bytes(8);
                              s.chunks[0].bytes = Bytes(8);
                          }),
              "a barrier of 8 bytes");
    EXPECT_EQ(fault_after(barrier(), [](Schedule& s) { s.chunks[0].bytes = Bytes(8); }),
              "chunks of 8 bytes stand for an item of 0");
}

TEST(Validate, what_reaches_a_node_of_a_scan_ends_where_its_own_part_begins) {
    for (const Kind kind : {Kind::scan, Kind::exscan}) {
        SCOPED_TRACE(name_of(kind));
        // d's turn comes before c holds anything of a and b.
        EXPECT_EQ(fault_after(chain_scan(kind),
                              [](Schedule& s) { std::swap(s.transfers[1], s.transfers[2]); }),
                  "node 'd' ends with an incomplete chunk 0");
        EXPECT_EQ(fault_after(chain_scan(kind), [](Schedule& s) { s.transfers[1].from = 0; }),
                  "transfer 1 from 'a' brings 'c' what does not end where its own part of chunk 0 "
                  "begins");
        EXPECT_EQ(fault_after(chain_scan(kind),
                              [](Schedule& s) {
                                  s.transfers.front().from = 1;
                                  s.transfers.front().to = 0;
                              }),
                  "transfer 0 from 'b' brings 'a' what does not end where its own part of chunk 0 "
                  "begins");
        EXPECT_EQ(fault_after(chain_scan(kind), [](Schedule& s) { s.transfers[2].op = Op::copy; }),
                  fmt::format("transfer 2 copies chunk 0, and a {} only combines", name_of(kind)));
        EXPECT_EQ(fault_after(chain_scan(kind), [](Schedule& s) { s.chunks[0].source = 0; }),
                  fmt::format("chunk 0 from 'a' is no part of this {}", name_of(kind)));
    }
}

TEST(Validate, a_scan_sends_what_a_node_holds_at_that_place_of_the_list) {
    // Upwards, each node of the first round would pass on what it has just received.
    EXPECT_THAT(fault_after(doubling_scan(),
                            [](Schedule& s) { std::swap(s.transfers[0], s.transfers[2]); }),
                AllOf(HasSubstr("transfer 3"), HasSubstr("already")));
    const auto ordered = [](Schedule& s) { s.collective.ordered = true; };
    EXPECT_EQ(fault_after(doubling_scan(), ordered), "");
    EXPECT_EQ(fault_after(chain_scan(), ordered), "");
}

TEST(Validate, blocks_of_nodes_may_differ) {
    const Schedule uneven = with_blocks(scatter(), {5, 70, 20, 90});
    EXPECT_EQ(fault_after(uneven, [](Schedule& s) { s.chunks[1].bytes = Bytes(90); }),
              "chunks of 90 bytes stand for an item of 70");
    EXPECT_EQ(fault_after(uneven, [](Schedule& s) { s.collective.bytes = Bytes(100); }),
              "the largest block has 90 bytes, and is stated to have 100");
    EXPECT_EQ(fault_after(scatter(),
                          [](Schedule& s) {
                              s.collective.blocks =
                                  std::make_shared<const std::vector<Bytes>>(3, Bytes(100));
                          }),
              "there are 3 blocks, and 4 nodes");
    EXPECT_EQ(fault_after(two_trees(),
                          [](Schedule& s) {
                              s.collective.blocks =
                                  std::make_shared<const std::vector<Bytes>>(3, Bytes(200));
                          }),
              "a broadcast has no blocks that differ");
}

TEST(Validate, an_empty_block_may_be_left_out) {
    Schedule schedule = with_blocks(gather(), {5, 0, 20, 90});
    EXPECT_EQ(fault_of(schedule), "");
    schedule.chunks.erase(schedule.chunks.begin() + 1);
    drop(schedule, 1);
    for (auto& transfer : schedule.transfers) --transfer.chunk;
    EXPECT_EQ(fault_of(schedule), "");
    schedule.collective.blocks = nullptr;
    schedule.collective.bytes = Bytes(20);
    EXPECT_NE(fault_of(schedule), "");
}

TEST(Validate, a_single_node_has_nothing_to_do) {
    for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce, Kind::scatter,
                            Kind::gather, Kind::allgather, Kind::reduce_scatter, Kind::alltoall,
                            Kind::barrier, Kind::scan, Kind::exscan}) {
        Schedule schedule = hand_made(kind, 1, kind == Kind::barrier ? 0 : 100);
        schedule.chunks.clear();
        EXPECT_EQ(fault_of(schedule), "") << name_of(kind);
    }
}

TEST(Validate, nothing_is_a_message_too) {
    Schedule schedule = hand_made(Kind::broadcast, 2, 0);
    EXPECT_EQ(fault_of(schedule), "node 'b' ends without chunk 0");
    add_copy(schedule, 0, 1);
    EXPECT_EQ(fault_of(schedule), "");
}

}  // namespace
}  // namespace espalier::schedule
