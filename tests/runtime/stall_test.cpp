#include "runtime/logic/stall.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace espalier::runtime {
namespace {

using schedule::Op;

TEST(Stall, is_found_where_ranks_wait_for_each_other) {
    // Each of two sends what it needs the other's for.
    const auto waiting = [](std::size_t window) {
        std::vector<RankProgram> programs(2);
        for (int rank = 0; rank < 2; ++rank) {
            auto& program = programs[static_cast<std::size_t>(rank)];
            program.window = window;
            program.chunks = {{}, {}};
            program.receives.push_back({.message = {.peer = 1 - rank, .chunk = 0}});
            program.sends.push_back({.message = {.peer = 1 - rank, .chunk = 0}});
        }
        return programs;
    };
    auto programs = waiting(1);
    EXPECT_FALSE(would_stall(programs));
    for (RankProgram& program : programs) {
        program.needs = {0};
        program.sends[0].last_need = 1;
    }
    EXPECT_TRUE(would_stall(programs));
    programs[0].sends[0].last_need = 0;
    EXPECT_FALSE(would_stall(programs));
    // What lands where a send has to leave from first, at both ends.
    auto swapping = waiting(1);
    for (RankProgram& program : swapping) {
        program.needs = {0};
        program.receives[0].last_need = 1;
    }
    EXPECT_TRUE(would_stall(swapping));
    for (RankProgram& program : swapping) program.receives[0].op = Op::combine;
    EXPECT_FALSE(would_stall(swapping)) << "that has a buffer of its own";
}

TEST(Stall, is_found_where_a_message_waits_for_room_that_another_takes) {
    // 0 sends to 1, then to 2, which passes on to 1 what 1 takes in first.
    for (const std::size_t window : {std::size_t{1}, std::size_t{2}}) {
        std::vector<RankProgram> programs(3);
        for (RankProgram& program : programs) program.chunks = {{}};
        programs[0].window = window;
        programs[0].sends = {{.message = {.peer = 1}}, {.message = {.peer = 2}}};
        programs[1].receives = {{.message = {.peer = 2}, .op = Op::combine},
                                {.message = {.peer = 0}, .op = Op::combine}};
        programs[2].receives = {{.message = {.peer = 0}}};
        programs[2].needs = {0};
        programs[2].sends = {{.message = {.peer = 1}, .first_need = 0, .last_need = 1}};
        EXPECT_EQ(would_stall(programs), window == 1);
        for (RankProgram::Receive& receive : programs[1].receives) receive.op = Op::copy;
        EXPECT_FALSE(would_stall(programs)) << "that need no room of their own";
    }
}

TEST(Stall, is_found_where_a_receive_is_not_posted_while_a_late_one_is_waited_for) {
    // 0 waits for 2's message, its second of many; 2 sends it after one from 3, whose message
    // before that is for 0, and beyond those that 0 posts ahead.
    for (const std::size_t many : {std::size_t{10}, RankProgram::receive_window}) {
        std::vector<RankProgram> programs(4);
        for (RankProgram& program : programs) program.chunks = {{}};
        programs[0].receives.assign(many + 1, {.message = {.peer = 1}});
        programs[0].receives[1].message.peer = 2;
        programs[0].receives.back().message.peer = 3;
        programs[0].needs = {1};
        programs[0].sends = {{.message = {.peer = 1}, .first_need = 0, .last_need = 1}};
        programs[1].window = many;
        programs[1].sends.assign(many - 1, {.message = {.peer = 0}});
        programs[1].receives = {{.message = {.peer = 0}}};
        programs[2].receives = {{.message = {.peer = 3}}};
        programs[2].needs = {0};
        programs[2].sends = {{.message = {.peer = 0}, .first_need = 0, .last_need = 1}};
        programs[3].sends = {{.message = {.peer = 0}}, {.message = {.peer = 2}}};
        EXPECT_EQ(would_stall(programs), many == RankProgram::receive_window);
    }
}

TEST(Stall, is_found_where_messages_have_no_other_end_and_steps_differ) {
    std::vector<RankProgram> programs(2);
    for (RankProgram& program : programs) program.chunks = {{}};
    programs[0].sends = {{.message = {.peer = 1}}};
    programs[1].receives = {{.message = {.peer = 0}, .op = Op::combine}};
    EXPECT_FALSE(would_stall(programs));
    programs[1].barriers = {{.sends = 0, .receives = 1}};
    EXPECT_TRUE(would_stall(programs));
    programs[0].barriers = {{.sends = 1, .receives = 0}};
    EXPECT_FALSE(would_stall(programs));
    programs[0].barriers[0].sends = 0;
    EXPECT_TRUE(would_stall(programs)) << "sent in the second step, awaited in the first";
    programs[0].sends.clear();
    EXPECT_TRUE(would_stall(programs));
}

}  // namespace
}  // namespace espalier::runtime
