#include "runtime/logic/send_order.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <vector>

namespace espalier::runtime {
namespace {

/// What a send goes to, and the receives that it waits for.
struct Wanted {
    int peer = 0;
    std::vector<std::size_t> needs;
};

RankProgram program_of(std::size_t window, const std::vector<Wanted>& sends,
                       std::vector<RankProgram::Barrier> barriers = {}) {
    RankProgram program;
    program.window = window;
    program.barriers = std::move(barriers);
    for (const Wanted& wanted : sends) {
        RankProgram::Send send;
        send.message.peer = wanted.peer;
        send.first_need = program.needs.size();
        program.needs.insert(program.needs.end(), wanted.needs.begin(), wanted.needs.end());
        send.last_need = program.needs.size();
        program.sends.push_back(send);
    }
    return program;
}

using Taken = std::vector<std::size_t>;

Taken take_all(SendOrder& order, const std::vector<char>& received) {
    Taken taken;
    while (const auto send = order.take(received)) taken.push_back(*send);
    return taken;
}

TEST(SendOrder, what_is_there_overtakes_what_waits_but_not_to_the_same_receiver) {
    const auto program =
        program_of(9, {{1, {0}}, {2, {}}, {1, {}}, {3, {1}}, {2, {0, 1}}, {3, {}}});
    SendOrder order;
    order.start(program, false);
    EXPECT_EQ(take_all(order, {0, 0}), Taken({1}));
    EXPECT_EQ(take_all(order, {0, 1}), (Taken{3, 5}));
    EXPECT_FALSE(order.all_taken());
    EXPECT_EQ(take_all(order, {1, 1}), (Taken{0, 2, 4}));
    EXPECT_TRUE(order.all_taken());
    EXPECT_FALSE(order.has_left(0));
    order.leave(0);
    EXPECT_TRUE(order.has_left(0));
}

TEST(SendOrder, strictly_nothing_overtakes_and_no_window_counts) {
    const auto program = program_of(1, {{1, {}}, {2, {}}, {1, {0}}, {3, {}}});
    SendOrder order;
    order.start(program, true);
    EXPECT_EQ(take_all(order, {0}), (Taken{0, 1}));
    EXPECT_EQ(take_all(order, {1}), (Taken{2, 3}));
}

TEST(SendOrder, has_as_many_under_way_as_its_window) {
    const auto program = program_of(2, {{1, {}}, {2, {}}, {3, {}}, {1, {}}});
    SendOrder order;
    order.start(program, false);
    EXPECT_EQ(take_all(order, {}), (Taken{0, 1}));
    order.leave(1);
    EXPECT_EQ(take_all(order, {}), Taken({2}));
    order.leave(0);
    order.leave(2);
    EXPECT_EQ(take_all(order, {}), Taken({3}));
}

TEST(SendOrder, what_overtook_is_not_waited_for) {
    const auto program = program_of(2, {{1, {0}}, {2, {}}, {3, {}}, {1, {}}});
    SendOrder order;
    order.start(program, false);
    EXPECT_EQ(take_all(order, {0}), (Taken{1, 2}));
    // The first goes out however many later ones are under way; what is behind it has to wait.
    EXPECT_EQ(take_all(order, {1}), Taken({0}));
    EXPECT_FALSE(order.all_taken());
}

TEST(SendOrder, waits_at_a_barrier_until_all_before_it_have_left) {
    const auto program = program_of(4, {{1, {}}, {2, {0}}, {3, {}}}, {{2, 1}, {3, 1}});
    SendOrder order;
    order.start(program, false);
    EXPECT_EQ(take_all(order, {0}), Taken({0}));
    EXPECT_FALSE(order.is_at_barrier());
    order.leave(0);
    EXPECT_FALSE(order.is_at_barrier()) << "the second one has not gone out";
    EXPECT_EQ(take_all(order, {1}), Taken({1}));
    EXPECT_FALSE(order.is_at_barrier());
    order.leave(1);
    EXPECT_TRUE(order.is_at_barrier());
    order.pass_barrier();
    EXPECT_EQ(take_all(order, {1}), Taken({2}));
    order.leave(2);
    EXPECT_TRUE(order.is_at_barrier());
    order.pass_barrier();
    EXPECT_FALSE(order.is_at_barrier());
    EXPECT_EQ(order.barrier(), 2u);
}

}  // namespace
}  // namespace espalier::runtime
