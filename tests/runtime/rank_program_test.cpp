#include "runtime/logic/rank_program.hpp"

#include "runtime/compiled.hpp"

#include <gmock/gmock.h>

#include <array>
#include <stdexcept>

namespace espalier::runtime {
namespace {

using schedule::Kind;
using schedule::Op;
using test::compiled;
using test::hand_made;
using test::runs;
using test::Uniform;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::size_t> needs_of(const RankProgram& program, std::size_t send) {
    const auto& its = program.sends[send];
    return {program.needs.begin() + static_cast<std::ptrdiff_t>(its.first_need),
            program.needs.begin() + static_cast<std::ptrdiff_t>(its.last_need)};
}

TEST(RankProgram, sends_segment_by_segment_to_all_children) {
    const auto schedule = hand_made(Kind::broadcast, 3, 10, {{Bytes(10), 3}},
                                    {{.from = 0, .to = 1}, {.from = 0, .to = 2}});
    const RankProgram program = compiled(schedule)[0];
    std::vector<int> peers;
    std::vector<std::uint64_t> firsts;
    for (const auto& send : program.sends) {
        peers.push_back(send.message.peer);
        firsts.push_back(program.run_of(send.message, 10).first);
    }
    EXPECT_THAT(peers, ElementsAre(1, 2, 1, 2, 1, 2));
    EXPECT_THAT(firsts, ElementsAre(0, 0, 3, 3, 6, 6));
    EXPECT_EQ(program.run_of(program.sends.back().message, 10).units, 4u);
    EXPECT_EQ(program.window, 8u) << "four for each of two receivers";
    EXPECT_EQ(program.sends[0].gap, Seconds(4)) << "as planned, of its segment";
}

TEST(RankProgram, forwards_a_segment_when_what_it_covers_is_there) {
    const auto schedule = hand_made(Kind::broadcast, 3, 8, {{Bytes(8), 4}},
                                    {{.from = 0, .to = 1, .segments = 2}, {.from = 1, .to = 2}});
    const RankProgram program = compiled(schedule)[1];
    for (std::size_t send = 0; send < 4; ++send)
        EXPECT_THAT(needs_of(program, send), ElementsAre(send / 2));
    EXPECT_TRUE(runs(schedule, 1));
}

/// Of each message: its peer, its first chunk, how many, its segment, of how many.
std::vector<std::array<std::size_t, 5>> sent(const RankProgram& program) {
    std::vector<std::array<std::size_t, 5>> all;
    for (const auto& send : program.sends) {
        const RankProgram::Message& message = send.message;
        all.push_back({static_cast<std::size_t>(message.peer), message.chunk, message.chunks,
                       message.segment, message.segments});
    }
    return all;
}

TEST(RankProgram, cuts_segments_that_would_wait_for_an_answer) {
    const auto schedule = hand_made(Kind::broadcast, 3, 20, {{Bytes(20), 2}},
                                    {{.from = 0, .to = 1}, {.from = 1, .to = 2, .segments = 1}});
    const Uniform fabric(3);
    using Message = std::array<std::size_t, 5>;
    const auto cut = compile_ranks(schedule, fabric, Bytes(5));
    EXPECT_THAT(sent(cut[0]), ElementsAre(Message{1, 0, 1, 0, 4}, Message{1, 0, 1, 1, 4},
                                          Message{1, 0, 1, 2, 4}, Message{1, 0, 1, 3, 4}));
    EXPECT_EQ(cut[0].sends[3].gap, Seconds(5));
    // Four pieces take three seconds more, their answer's round trip is of two.
    EXPECT_THAT(sent(cut[1]), ElementsAre(Message{2, 0, 1, 0, 1}));
    EXPECT_THAT(needs_of(cut[1], 0), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(compile_ranks(schedule, fabric, Bytes(10))[0].sends.size(), 2u);
    EXPECT_EQ(compiled(schedule)[0].sends.size(), 2u);
}

constexpr Seconds far(15);

TEST(RankProgram, has_enough_under_way_to_hide_an_answer) {
    const auto schedule =
        hand_made(Kind::broadcast, 2, 40, {{Bytes(40), 40}}, {{.from = 0, .to = 1}});
    EXPECT_EQ(compile_ranks(schedule, Uniform(2, far), Bytes(1))[0].window, 4u);
    EXPECT_EQ(compile_ranks(schedule, Uniform(2, far), Bytes(0))[0].window, 31u);
}

TEST(RankProgram, has_few_long_messages_under_way_that_wait_for_answers) {
    const auto schedule =
        hand_made(Kind::broadcast, 4, 40, {{Bytes(40)}},
                  {{.from = 0, .to = 1}, {.from = 0, .to = 2}, {.from = 0, .to = 3}});
    EXPECT_EQ(compile_ranks(schedule, Uniform(4, far), Bytes(40))[0].window, 12u);
    EXPECT_EQ(compile_ranks(schedule, Uniform(4, far), Bytes(0))[0].window, 2u);
}

TEST(RankProgram, has_all_of_a_message_that_is_cut_under_way_and_of_the_next) {
    const auto schedule = hand_made(Kind::broadcast, 3, 40, {{Bytes(40)}},
                                    {{.from = 0, .to = 1}, {.from = 0, .to = 2}});
    const auto programs = compile_ranks(schedule, Uniform(3, far), Bytes(5));
    EXPECT_EQ(programs[0].sends.size(), 16u);
    EXPECT_EQ(programs[0].window, 16u);
}

TEST(RankProgram, paces_sends_as_the_timeline_has_them) {
    auto schedule = hand_made(Kind::broadcast, 3, 10, {{Bytes(10)}},
                              {{.from = 0, .to = 1}, {.from = 0, .to = 2}});
    schedule.ports.count = 2;
    const Uniform slow(3, Seconds(30));
    const auto alone = compile_ranks(schedule, slow)[0];
    EXPECT_EQ(alone.sends[0].gap, Seconds(10));
    EXPECT_EQ(alone.sends[0].start, Seconds(0));
    // Both at once, on a link that they share.
    schedule::Timeline timeline;
    timeline.transfers = {{Seconds(1), Seconds(21), Seconds(31), Seconds(51)},
                          {Seconds(1), Seconds(21), Seconds(31), Seconds(51)}};
    const auto paced = compile_ranks(schedule, slow, any_length, timeline)[0];
    for (const RankProgram::Send& send : paced.sends) {
        EXPECT_EQ(send.start, Seconds(1));
        EXPECT_EQ(send.gap, Seconds(20));
    }
}

TEST(RankProgram, sends_a_piece_on_as_soon_as_it_is_there) {
    const auto schedule = hand_made(Kind::broadcast, 3, 9, {{Bytes(9)}},
                                    {{.from = 0, .to = 1}, {.from = 1, .to = 2}});
    const auto cut = compile_ranks(schedule, Uniform(3), Bytes(5));
    ASSERT_EQ(cut[1].sends.size(), 2u);
    for (std::size_t piece : {0u, 1u}) EXPECT_THAT(needs_of(cut[1], piece), ElementsAre(piece));
}

TEST(RankProgram, cuts_blocks_that_travel_together_between_them) {
    std::vector<schedule::Chunk> blocks;
    for (const std::size_t bytes : {3u, 2u, 8u, 1u})
        blocks.push_back({.bytes = Bytes(bytes), .source = blocks.size()});
    auto schedule = hand_made(Kind::gather, 4, 8, blocks,
                              {{.from = 1, .to = 2, .chunk = 1},
                               {.from = 3, .to = 2, .chunk = 3},
                               {.from = 2, .to = 0, .chunk = 1, .chunks = 3}});
    const auto cut = compile_ranks(schedule, Uniform(4), Bytes(6));
    using Message = std::array<std::size_t, 5>;
    EXPECT_THAT(sent(cut[2]), ElementsAre(Message{0, 0, 1, 0, 1}, Message{0, 1, 1, 0, 2},
                                          Message{0, 1, 1, 1, 2}, Message{0, 2, 1, 0, 1}));
    // The first waits for the first block alone, the last for the last.
    EXPECT_THAT(needs_of(cut[2], 0), ElementsAre(0));
    EXPECT_THAT(needs_of(cut[2], 1), IsEmpty());
    EXPECT_THAT(needs_of(cut[2], 3), ElementsAre(1));
    EXPECT_EQ(cut[2].sends[1].gap, Seconds(4));
}

TEST(RankProgram, waits_for_an_answer) {
    const auto schedule =
        hand_made(Kind::broadcast, 2, 5, {{Bytes(5)}, {.bytes = Bytes(1), .control = true}},
                  {{.from = 1, .to = 0, .chunk = 1}, {.from = 0, .to = 1, .after = 0}});
    const RankProgram program = compiled(schedule)[0];
    ASSERT_EQ(program.sends.size(), 1u);
    EXPECT_THAT(needs_of(program, 0), ElementsAre(0));
    EXPECT_TRUE(program.chunks[program.receives[0].message.chunk].empty);
    EXPECT_FALSE(program.chunks[program.sends[0].message.chunk].empty);
    EXPECT_TRUE(runs(schedule, 2));
}

TEST(RankProgram, tells_which_share_of_its_item_a_chunk_is) {
    const auto schedule = hand_made(Kind::broadcast, 2, 12, {{Bytes(2)}, {Bytes(4)}, {Bytes(6)}},
                                    {{.from = 0, .to = 1, .chunk = 1},
                                     {.from = 0, .to = 1, .chunk = 0},
                                     {.from = 0, .to = 1, .chunk = 2}});
    const RankProgram program = compiled(schedule)[0];
    EXPECT_EQ(program.chunks[1].first_unit(6), 1u);
    EXPECT_EQ(program.chunks[1].units(6), 2u);
    EXPECT_EQ(program.chunks[2].first_unit(7), 3u);
    EXPECT_EQ(program.chunks[2].units(7), 4u);
    // More units than 64 bits hold of their product with a share.
    EXPECT_EQ(program.chunks[2].first_unit(std::uint64_t{1} << 63), std::uint64_t{1} << 62);
    EXPECT_TRUE(runs(schedule, 3));
}

TEST(RankProgram, cuts_several_chunks_of_an_item_as_one_run) {
    const auto schedule = hand_made(Kind::broadcast, 3, 9, {{Bytes(2)}, {Bytes(4)}, {Bytes(3)}},
                                    {{.from = 0, .to = 1, .chunk = 0, .chunks = 3, .segments = 4},
                                     {.from = 1, .to = 2, .chunk = 2},
                                     {.from = 1, .to = 2, .chunk = 0, .chunks = 2}});
    const RankProgram program = compiled(schedule)[1];
    // Of nine shares 2.25 in each segment; the last chunk begins at 6.
    EXPECT_THAT(needs_of(program, 0), ElementsAre(2, 3));
    EXPECT_THAT(needs_of(program, 1), ElementsAre(0, 1, 2));
    for (std::uint64_t seed = 0; seed < 10; ++seed) EXPECT_TRUE(runs(schedule, seed));
}

TEST(RankProgram, does_not_cut_blocks_that_are_apart) {
    auto schedule = hand_made(Kind::gather, 2, 4,
                              {{.bytes = Bytes(4), .source = 1}, {.bytes = Bytes(4), .source = 0}},
                              {{.from = 1, .to = 0, .chunk = 0, .chunks = 2, .segments = 2}});
    EXPECT_THROW(static_cast<void>(compiled(schedule)), std::invalid_argument);
}

TEST(RankProgram, keeps_what_it_sends_until_it_has_left) {
    // 0 sends on what it has combined of 1, and gets the sum back.
    const auto schedule = hand_made(Kind::allreduce, 3, 4, {{Bytes(4), 2}},
                                    {{.from = 1, .to = 0, .op = Op::combine},
                                     {.from = 0, .to = 2, .op = Op::combine},
                                     {.from = 2, .to = 0},
                                     {.from = 0, .to = 1}});
    const RankProgram program = compiled(schedule)[0];
    ASSERT_EQ(program.receives.size(), 4u);
    for (std::size_t r = 0; r < 4; ++r) {
        const auto& receive = program.receives[r];
        const bool back = receive.op == Op::copy;
        ASSERT_EQ(receive.last_need - receive.first_need, back ? 1u : 0u);
        ASSERT_EQ(receive.last_earlier - receive.first_earlier, back ? 1u : 0u);
        if (!back) continue;
        const auto& send = program.sends[program.needs[receive.first_need]];
        EXPECT_EQ(send.message.peer, 2);
        EXPECT_EQ(send.message.segment, receive.message.segment);
        const auto& earlier = program.receives[program.earlier[receive.first_earlier]];
        EXPECT_EQ(earlier.op, Op::combine);
        EXPECT_EQ(earlier.message.segment, receive.message.segment);
    }
    for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_TRUE(runs(schedule, seed));
}

TEST(RankProgram, combines_in_the_listed_order_however_messages_are_cut) {
    // What comes whole from 2 goes on top of all segments from 1.
    auto schedule = hand_made(Kind::reduce, 3, 8, {{Bytes(8), 4}},
                              {{.from = 1, .to = 0, .op = Op::combine},
                               {.from = 2, .to = 0, .op = Op::combine, .segments = 1}});
    schedule.collective.ordered = true;
    const RankProgram program = compiled(schedule)[0];
    EXPECT_EQ(program.receives.back().message.peer, 2);
    EXPECT_EQ(program.receives.back().last_earlier - program.receives.back().first_earlier, 4u);
    for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_TRUE(runs(schedule, seed));
}

TEST(RankProgram, combines_from_the_left_what_lower_ranks_bring) {
    auto schedule = hand_made(
        Kind::reduce, 3, 1, {{Bytes(1)}},
        {{.from = 0, .to = 1, .op = Op::combine}, {.from = 2, .to = 1, .op = Op::combine}});
    schedule.collective.root = 1;
    schedule.collective.ordered = true;
    const RankProgram program = compiled(schedule)[1];
    EXPECT_TRUE(program.receives[0].from_left);
    EXPECT_FALSE(program.receives[1].from_left);
    EXPECT_TRUE(runs(schedule, 1));
    // Now 0 has the higher ones.
    schedule.transfers = {{.from = 2, .to = 0, .op = Op::combine}};
    schedule.chunks.push_back({Bytes(0)});
    EXPECT_FALSE(compiled(schedule)[0].receives[0].from_left);
}

TEST(RankProgram, refuses_chunks_of_one_message_from_different_sides) {
    auto schedule = hand_made(Kind::allreduce, 3, 2, {{Bytes(1)}, {Bytes(1)}},
                              {{.from = 0, .to = 1, .chunk = 0, .op = Op::combine, .chunks = 2}});
    schedule.collective.ordered = true;
    EXPECT_TRUE(compiled(schedule)[1].receives[0].from_left);
    schedule.transfers = {{.from = 0, .to = 1, .chunk = 1, .op = Op::combine},
                          {.from = 0, .to = 2, .chunk = 0, .op = Op::combine},
                          {.from = 2, .to = 1, .chunk = 0, .op = Op::copy},
                          {.from = 1, .to = 2, .chunk = 0, .op = Op::combine, .chunks = 2}};
    EXPECT_THROW(static_cast<void>(compiled(schedule)), std::invalid_argument);
}

TEST(RankProgram, refuses_what_a_rank_would_wait_for_itself_for) {
    // The first half of what goes out is needed for the whole that comes in, and that for its
    // second half, which was listed before.
    const auto schedule = hand_made(Kind::broadcast, 3, 8, {{Bytes(8), 2}},
                                    {{.from = 0, .to = 1},
                                     {.from = 1, .to = 2},
                                     {.from = 2, .to = 1, .segments = 1},
                                     {.from = 1, .to = 0}});
    EXPECT_THROW(static_cast<void>(compiled(schedule)), std::invalid_argument);
}

TEST(RankProgram, meets_where_its_steps_end) {
    auto schedule = hand_made(Kind::broadcast, 3, 1, {{Bytes(1)}},
                              {{.from = 0, .to = 1}, {.from = 0, .to = 2}});
    schedule.barriers = {1};
    const auto programs = compiled(schedule);
    EXPECT_EQ(programs[0].barriers[0].sends, 1u);
    EXPECT_EQ(programs[1].barriers[0].receives, 1u);
    EXPECT_EQ(programs[2].barriers[0].receives, 0u);
    EXPECT_TRUE(runs(schedule, 1));
}

}  // namespace
}  // namespace espalier::runtime
