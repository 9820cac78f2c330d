// What a connection's window does to the times of messages.

#include "simulate/windows.hpp"

#include "core/random.hpp"
#include "network/grid_view.hpp"
#include "network/network.hpp"
#include "simulate/check.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <vector>

namespace espalier::simulate {
namespace {

using namespace espalier::test;
using network::Transport;
using schedule::Kind;
using schedule::Schedule;
using schedule::Timeline;
using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr double any = 1e9;

/// Ten bytes at first, eight seconds there and back, half after ten without a message.
constexpr Window ten{Bytes(10), Seconds(8), Seconds(0), Seconds(10)};

TEST(Window, lets_a_message_leave_in_rounds_that_double) {
    const auto sent = [](double bytes) {
        return Connection(ten, 10, 80).leave(0, bytes / 10, bytes);
    };
    EXPECT_EQ(sent(5), 0.5);
    EXPECT_EQ(sent(10), 1);
    EXPECT_EQ(sent(11), 8 + 0.1);
    EXPECT_EQ(sent(30), 8 + 2);
    EXPECT_EQ(sent(31), 16 + 0.1);
    EXPECT_EQ(sent(70), 16 + 4);
    EXPECT_EQ(sent(150), 24 + 8) << "a window of 80 bytes fills the path";
    EXPECT_EQ(sent(1070), 24 + 100);
}

TEST(Window, is_shared_by_the_messages_of_a_connection) {
    Connection connection(ten, 10, 80);
    EXPECT_EQ(connection.leave(0, 0.6, 6), 0.6);
    EXPECT_EQ(connection.leave(1, 0.4, 4), 1.4) << "the window is full now";
    EXPECT_EQ(connection.leave(2, 0.4, 4), 8 + 0.4) << "the first six have arrived";
    EXPECT_EQ(connection.leave(10, 1.6, 16), 10 + 1.6) << "there are twenty now";
    EXPECT_EQ(connection.leave(12, 4, 40), 18 + 3.2) << "eight at 16 s, the others at 18";
}

TEST(Window, grows_to_twice_of_what_was_needed_at_most) {
    Connection connection(ten, 10, any);
    EXPECT_EQ(connection.leave(0, 0.2, 2), 0.2);
    EXPECT_EQ(connection.leave(9, 1, 10), 10) << "ten bytes, as before";
    EXPECT_EQ(connection.leave(18, 2, 20), 20) << "and now twenty";
    EXPECT_EQ(connection.leave(27, 4, 40), 31);
}

TEST(Window, halves_with_each_idle_time_but_for_the_first_bytes) {
    const auto after = [](double idle) {
        Connection connection(ten, 80, 1000);
        EXPECT_EQ(connection.leave(0, 4, 40), 4);
        connection.leave(4 + idle, 0, 0);
        return connection.size();
    };
    EXPECT_EQ(after(9), 80);
    EXPECT_EQ(after(11), 40);
    EXPECT_EQ(after(21), 20);
    EXPECT_EQ(after(31), 10);
    EXPECT_EQ(after(1e6), 10);
}

TEST(Window, is_idle_only_when_what_was_slowed_down_has_left) {
    Connection connection(ten, 80, 1000);
    EXPECT_EQ(connection.leave(0, 4, 40), 4);
    connection.left(10);
    connection.leave(15, 0, 0);
    EXPECT_EQ(connection.size(), 80);
}

/// A sender that is asked for packets, one by one, each of which is acknowledged a round trip
/// after it began to leave.
class PacketByPacket {
public:
    PacketByPacket(int window, double round_trip) : window_(window), round_trip_(round_trip) {}

    /// When the last of so many packets has left, if each takes `gap`.
    double leave(double start, double gap, int packets) {
        now_ = std::max(now_, start);
        for (int packet = 0; packet < packets; ++packet) {
            take_acknowledgements();
            while (static_cast<int>(in_flight_.size()) >= window_) {
                now_ = std::max(now_, in_flight_.front());
                take_acknowledgements();
            }
            in_flight_.push_back(now_ + round_trip_);
            now_ += gap;
            most_ = std::max(most_, static_cast<int>(in_flight_.size()));
        }
        return now_;
    }

private:
    void take_acknowledgements() {
        for (; !in_flight_.empty() && in_flight_.front() <= now_; in_flight_.pop_front())
            if (window_ < 2 * most_) ++window_;
    }

    int window_;
    double round_trip_;
    double now_ = 0;
    int most_ = 0;
    std::deque<double> in_flight_;  ///< when each is acknowledged
};

/// Rows of messages of at most so many bytes, each of which begins when the one before has left, or
/// up to so many round trips later.
void expect_as_by_packets(std::uint64_t most_bytes, double pause, std::uint64_t seed) {
    Random random(seed);
    int others = 0;
    for (int row = 0; row < 300; ++row) {
        const int first = 1 + static_cast<int>(random.below(20));
        const double gap = random.uniform(0.001, 0.01);
        const double round_trip = 3 * random.uniform();
        const Window window{Bytes(static_cast<std::uint64_t>(first)), Seconds(round_trip),
                            Seconds(0), Seconds(any)};
        Connection connection(window, first, round_trip / gap);
        PacketByPacket packets(first, round_trip);
        double start = 0;
        double off = 0;
        for (int message = 0; message < 20; ++message) {
            const int bytes = 1 + static_cast<int>(random.below(most_bytes));
            const double there = packets.leave(start, gap, bytes);
            const double here = connection.leave(start, gap * bytes, bytes);
            off += 2 * gap;  // a window that ends inside a packet
            // Which packet is the last that lets a window grow may differ.
            EXPECT_NEAR(here, there, off + round_trip) << row << ' ' << message;
            if (std::abs(here - there) > off) ++others;
            start = std::max(here, there) + pause * round_trip * random.uniform();
        }
    }
    EXPECT_LE(others, 6) << "of 6000";
}

TEST(Window, lets_through_what_a_sender_of_packets_sends) {
    expect_as_by_packets(3000, 0, 7);
    expect_as_by_packets(3000, 2, 8);
    expect_as_by_packets(40, 0, 9);
    expect_as_by_packets(40, 0.5, 10);
}

TEST(Window, with_which_a_call_begins_is_the_same_in_each_of_a_row) {
    for (int idle = 1; idle < 6; ++idle) {
        const double begin = first_window(ten, 5000, any, idle);
        Connection connection(ten, begin, any);
        double start = 0;
        for (int call = 0; call < 5; ++call) {
            EXPECT_THAT(connection.size(), DoubleNear(begin, 1e-9)) << idle;
            start = connection.leave(start, 5, 5000) + (idle + 0.5) * ten.restart.value;
            connection.leave(start, 0, 0);
        }
    }
    EXPECT_EQ(first_window(ten, 5000, 80, 0), 80);
    EXPECT_EQ(first_window(ten, 5000, 80, 1), 40);
    EXPECT_EQ(first_window(ten, 5000, 80, 9), 10);
}

/// Four nodes 4 s apart; a byte takes 0.1 s; windows of ten bytes that halve after two idle
/// seconds and a round trip of eight.
network::Network far_apart(bool with_windows) {
    network::GridNetwork grid = *uniform_grid(4, 4, 0, 0.1).grid();
    grid.transport.burst = Bytes(10);
    if (with_windows) grid.transport.restart = Seconds(2);
    return network::Network(std::move(grid));
}

std::optional<std::string> violation(const Schedule& schedule, const Timeline& timeline,
                                     const network::Network& network) {
    schedule::StatedPlan stated;
    stated.plan.schedule = schedule;
    stated.plan.timeline = timeline;
    stated.has_times = stated.has_makespan = true;
    return check(stated, *make_fabric(network)).violation;
}

/// What is simulated is valid, too.
std::vector<double> ends(const Schedule& schedule, const network::Network& network) {
    const Timeline timeline = simulate(schedule, *make_fabric(network));
    EXPECT_EQ(violation(schedule, timeline, network), std::nullopt);
    std::vector<double> found;
    for (const auto& times : timeline.transfers) found.push_back(times.end.value);
    return found;
}

TEST(Windows, stay_open_where_calls_come_again_before_they_halve) {
    // Ten seconds in all, of which the connection is idle for less than ten.
    const Schedule schedule = test::straight({{0, 1, 60}});
    EXPECT_EQ(ends(schedule, far_apart(true)), ends(schedule, far_apart(false)));
}

TEST(Windows, are_narrow_where_a_call_leaves_them_idle_for_long) {
    // The second node's message takes 34 s; of these the first one's connection is idle for 32.
    const std::vector<test::Block> beside{{0, 1, 20}, {2, 3, 300}};
    EXPECT_THAT(ends(test::straight(beside), far_apart(false)),
                ElementsAre(DoubleEq(6), DoubleEq(34)));
    EXPECT_THAT(ends(test::straight(beside), far_apart(true)),
                ElementsAre(DoubleEq(8 + 1 + 4), DoubleEq(34)));
}

TEST(Windows, are_narrower_still_where_narrow_ones_make_the_call_longer) {
    // What nodes pass on makes the call longer than it would be with open windows.
    const Schedule schedule = test::straight({{0, 1, 40}, {1, 2, 40}, {2, 3, 40}, {3, 0, 40}});
    EXPECT_THAT(ends(schedule, far_apart(true)), ElementsAre(8, 8, 8, 8));
    Schedule chain = hand_made(Kind::broadcast, 4, 40);
    for (std::size_t n = 0; n + 1 < 4; ++n) add_copy(chain, n, n + 1, 0);
    const std::vector<double> open = ends(chain, far_apart(false));
    EXPECT_THAT(open, ElementsAre(8, 16, 24));
    // 24 s leave 20 idle, two restarts: windows of 10 in place of 40 bytes; then 24 + 3 * 12, four.
    const std::vector<double> narrow = ends(chain, far_apart(true));
    EXPECT_THAT(narrow, ElementsAre(DoubleEq(16 + 1 + 4), DoubleEq(2 * 21), DoubleEq(3 * 21)));
}

TEST(Windows, hold_back_what_shares_a_capacity_too) {
    network::GridNetwork grid = *far_apart(true).grid();
    grid.shared.push_back({"narrow", BytesPerSecond(10), {{0, 1}, {2, 1}}});
    const network::Network network(grid);
    // Each has 20 bytes in two rounds, of which the capacity carries both: 9 + 4 s. The long one
    // beside them makes the call long.
    const Schedule schedule = test::straight({{0, 1, 20}, {2, 1, 20}, {3, 0, 600}}, 3);
    const std::vector<double> found = ends(schedule, network);
    EXPECT_THAT(found[0], DoubleNear(13, 0.1));
    EXPECT_THAT(found[1], DoubleNear(13, 0.1));
    // Two that fill it go on as slowly as before.
    grid.shared.front().capacity = BytesPerSecond(1);
    EXPECT_GT(ends(schedule, network::Network(grid))[1], 40);
}

TEST(Windows, make_times_that_they_do_not_allow_no_valid_plan) {
    const network::Network without = far_apart(false);
    const network::Network with = far_apart(true);
    const auto expect_too_fast = [&](const Schedule& schedule) {
        const Timeline timeline = simulate(schedule, *make_fabric(without));
        EXPECT_EQ(violation(schedule, timeline, without), std::nullopt);
        EXPECT_THAT(violation(schedule, timeline, with), Optional(HasSubstr("the window")));
    };
    expect_too_fast(test::straight({{0, 1, 200}, {2, 3, 1000}}));
    // Each of ten messages has room in a window, and all of them have not.
    Schedule pieces = hand_made(Kind::broadcast, 4, 100);
    pieces.chunks.assign(10, {Bytes(10)});
    for (std::size_t to = 1; to < 4; ++to)
        for (std::size_t chunk = 0; chunk < 10; ++chunk) add_copy(pieces, 0, to, chunk);
    expect_too_fast(pieces);
    (void)ends(pieces, with);
}

TEST(Windows, let_nothing_be_found_invalid_that_is_simulated) {
    Random random(3);
    for (int round = 0; round < 100; ++round) {
        network::GridNetwork grid = *far_apart(true).grid();
        if (random.below(2) == 0)
            grid.shared.push_back(
                {"narrow", BytesPerSecond(random.uniform(5, 20)), {{0, 1}, {2, 1}}});
        Schedule schedule = hand_made(Kind::broadcast, 4, 600, 0);
        schedule.ports.count = 1 + random.below(3);
        schedule.chunks.assign(6, chunk_of(100, 1 + random.below(8)));
        for (std::size_t chunk = 0; chunk < 6; ++chunk) {
            std::vector<std::size_t> holders{0};
            for (std::size_t to = 1; to < 4; ++to) {
                add_copy(schedule, holders[random.below(holders.size())], to, chunk);
                holders.push_back(to);
            }
        }
        (void)ends(schedule, network::Network(grid));
    }
}

TEST(Windows, do_not_matter_on_a_node) {
    network::GridNetwork grid = *far_apart(true).grid();
    const network::Network network(grid);
    const network::GridView view(*network.grid());
    const auto fabric = make_rank_fabric(view, {{0, 0}, {0, 0}, {1, 0}});
    EXPECT_EQ(fabric->window(0, 1).first, Bytes(0));
    EXPECT_EQ(fabric->window(0, 2).first, Bytes(10));
    EXPECT_EQ(fabric->window(0, 2).round_trip, Seconds(8));
    EXPECT_EQ(fabric->window(0, 2).restart, Seconds(10));
    grid.transport.queue = Seconds(3);
    const Window behind_a_queue = make_fabric(network::Network(grid))->window(0, 1);
    EXPECT_EQ(behind_a_queue.queue, Seconds(3));
    EXPECT_EQ(behind_a_queue.restart, Seconds(13));
}

}  // namespace
}  // namespace espalier::simulate
