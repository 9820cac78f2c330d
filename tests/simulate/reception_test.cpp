#include "core/error.hpp"
#include "simulate/check.hpp"
#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace espalier::simulate {
namespace {

using namespace espalier::testing;
using schedule::Kind;
using schedule::Ports;
using schedule::Reception;
using schedule::Schedule;
using schedule::StatedPlan;
using schedule::Timeline;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Mode = Reception::Mode;

/// Blocks of whole seconds, a byte a second, no start-up.
network::Network byte_a_second(std::size_t nodes) { return uniform_pairwise(nodes, 0, 1); }

struct Send {
    std::size_t from;
    std::size_t to;
    std::uint64_t bytes;
};

Schedule exchange(std::size_t nodes, const std::vector<Send>& sends, Reception reception) {
    Schedule schedule = hand_made(Kind::alltoall, nodes, 0);
    schedule.chunks.clear();
    auto sizes = std::make_shared<Matrix<Bytes>>(nodes, nodes, Bytes(0));
    for (const Send& send : sends) {
        (*sizes)(send.from, send.to) = Bytes(send.bytes);
        add_copy(schedule, send.from, send.to, schedule.chunks.size());
        auto& chunk = schedule.chunks.emplace_back(chunk_of(send.bytes));
        chunk.source = send.from;
        chunk.target = send.to;
    }
    schedule.collective.sizes = sizes;
    schedule.reception = reception;
    return schedule;
}

Reception interleaved(double overhead) { return {Mode::interleaved, overhead, {}}; }
Reception buffered(std::uint64_t bytes) { return {Mode::buffered, 0, Bytes(bytes)}; }

void expect_times(const Timeline& timeline, std::size_t t, double start, double end) {
    EXPECT_DOUBLE_EQ(timeline.transfers[t].start.value, start) << "start of transfer " << t;
    EXPECT_DOUBLE_EQ(timeline.transfers[t].end.value, end) << "end of transfer " << t;
}

std::string fault_of(const Schedule& schedule, const network::Network& network,
                     const Timeline& timeline) {
    StatedPlan stated;
    stated.plan.schedule = schedule;
    stated.plan.timeline = timeline;
    stated.has_times = true;
    return check(stated, *make_fabric(network)).violation.value_or("");
}

TEST(Interleaved, two_messages_at_once_take_their_times_and_the_overhead) {
    const auto network = byte_a_second(3);
    const auto times =
        simulate(exchange(3, {{0, 2, 4}, {1, 2, 6}}, interleaved(0.25)), *make_fabric(network));
    expect_times(times, 0, 0, 10);  // shares until both have got 5 s of work done
    expect_times(times, 1, 0, 1.25 * (4 + 6));
}

TEST(Interleaved, only_what_is_left_of_a_message_is_slowed_down_when_another_joins) {
    const auto network = byte_a_second(3);
    // b sends to a first, and joins at 3.
    const Schedule schedule = exchange(3, {{0, 2, 5}, {1, 0, 3}, {1, 2, 10}}, interleaved(0.5));
    const auto times = simulate(schedule, *make_fabric(network));
    expect_times(times, 0, 0, 9);  // 2 s left at 3, 3 with the overhead, at half speed
    expect_times(times, 1, 0, 3);
    expect_times(times, 2, 3, 21);  // 15 s of work: 3 done at 9, and alone from then on
}

TEST(Interleaved, a_message_is_slowed_down_but_once) {
    const auto network = byte_a_second(4);
    const auto times = simulate(exchange(4, {{0, 3, 6}, {1, 3, 6}, {2, 3, 6}}, interleaved(0.5)),
                                *make_fabric(network));
    for (std::size_t t = 0; t < 3; ++t) expect_times(times, t, 0, 27);
}

TEST(Interleaved, what_follows_in_time_is_not_slowed_down) {
    const auto network = byte_a_second(3);
    const auto times = simulate(exchange(3, {{0, 2, 5}, {1, 0, 5}, {1, 2, 5}}, interleaved(0.5)),
                                *make_fabric(network));
    expect_times(times, 2, 5, 10);
}

TEST(Interleaved, as_many_messages_as_there_are_ports_do_not_meet) {
    const auto network = byte_a_second(4);
    Schedule schedule = exchange(4, {{0, 3, 6}, {1, 3, 6}, {2, 3, 6}}, interleaved(0.5));
    schedule.ports.count = 2;
    const auto three = simulate(schedule, *make_fabric(network));
    for (std::size_t t = 0; t < 3; ++t) expect_times(three, t, 0, 13.5);  // 27 s of work, two ports
    drop(schedule, 2);
    const auto two = simulate(schedule, *make_fabric(network));
    for (std::size_t t = 0; t < 2; ++t) expect_times(two, t, 0, 6);
}

TEST(Interleaved, a_receiver_is_later_by_the_latency) {
    const auto network = uniform_grid(3, 7, 0, 1);
    const auto times = simulate(exchange(3, {{0, 2, 4}, {1, 2, 4}, {0, 1, 1}}, interleaved(0)),
                                *make_fabric(network));
    expect_times(times, 0, 0, 15);
    EXPECT_DOUBLE_EQ(times.transfers[0].arrival.value, 7);
    EXPECT_DOUBLE_EQ(times.transfers[0].sent.value, 8);
    expect_times(times, 2, 8, 16);
}

TEST(Interleaved, time_that_a_slow_link_leaves_goes_to_the_others) {
    // What crosses the uplink moves at a quarter of its own speed.
    network::GridNetwork grid = *uniform_grid(3, 0, 0, 1).grid();
    grid.shared = {{"uplink", BytesPerSecond(0.25), {{0, 2}}}};
    const network::Network network(grid);
    const auto times =
        simulate(exchange(3, {{0, 2, 4}, {1, 2, 6}}, interleaved(0)), *make_fabric(network));
    expect_times(times, 1, 0, 8);
    expect_times(times, 0, 0, 16);
}

TEST(Interleaved, a_slow_message_takes_the_time_that_a_held_back_fast_one_leaves) {
    // b's hundred bytes take a second alone, and ten through the uplink.
    network::GridNetwork grid = *uniform_grid(3, 0, 0, 1).grid();
    grid.links(1, 2)->gap = uniform_grid(3, 0, 0, 0.01).grid()->links(1, 2)->gap;
    grid.shared = {{"uplink", BytesPerSecond(10), {{1, 2}}}};
    const network::Network network(grid);
    const Schedule schedule = exchange(3, {{0, 2, 9}, {1, 2, 100}}, interleaved(0));
    const auto times = simulate(schedule, *make_fabric(network));
    EXPECT_NEAR(times.transfers[0].end.value, 10, 1e-9);
    EXPECT_NEAR(times.transfers[1].end.value, 10, 1e-9);
    EXPECT_EQ(fault_of(schedule, network, times), "");
}

TEST(Buffered, what_can_not_be_received_at_once_is_stored_and_its_sender_goes_on) {
    const auto network = byte_a_second(4);
    const auto times = simulate(exchange(4, {{0, 3, 5}, {1, 3, 3}, {1, 2, 2}}, buffered(3)),
                                *make_fabric(network));
    expect_times(times, 0, 0, 5);
    expect_times(times, 1, 0, 8);
    EXPECT_DOUBLE_EQ(times.transfers[1].sent.value, 3);
    EXPECT_DOUBLE_EQ(times.transfers[1].arrival.value, 5);
    expect_times(times, 2, 3, 5);
}

TEST(Buffered, a_sender_waits_until_its_message_fits_or_is_attended_to) {
    const auto network = byte_a_second(4);
    const std::vector<Send> sends = {{0, 3, 5}, {1, 3, 3}, {2, 3, 2}, {2, 1, 1}};
    // Three bytes are in the buffer until 8; then the application is free as well.
    auto times = simulate(exchange(4, sends, buffered(4)), *make_fabric(network));
    expect_times(times, 2, 8, 10);
    expect_times(times, 3, 10, 11);
    times = simulate(exchange(4, sends, buffered(5)), *make_fabric(network));
    expect_times(times, 2, 0, 10);
    expect_times(times, 3, 2, 3);
    times = simulate(exchange(4, sends, buffered(0)), *make_fabric(network));
    expect_times(times, 1, 5, 8);
    expect_times(times, 2, 8, 10);
}

TEST(Buffered, what_waits_is_let_in_in_the_order_in_which_it_came) {
    const auto network = byte_a_second(4);
    // b's message is larger than the buffer, and c's would fit.
    const auto times = simulate(exchange(4, {{0, 3, 5}, {1, 3, 9}, {2, 3, 2}}, buffered(4)),
                                *make_fabric(network));
    expect_times(times, 1, 5, 14);
    expect_times(times, 2, 5, 16);
}

TEST(Buffered, a_node_passes_on_what_its_application_has_received) {
    const auto network = byte_a_second(4);
    Schedule schedule = exchange(4, {{0, 2, 5}, {1, 2, 3}}, buffered(10));
    add_copy(schedule, 2, 3, 1);
    const auto times = simulate(schedule, *make_fabric(network));
    expect_times(times, 2, 8, 11);
}

TEST(Buffered, segments_are_messages) {
    const auto network = byte_a_second(3);
    Schedule schedule = exchange(3, {{0, 2, 4}, {1, 2, 6}}, buffered(3));
    schedule.chunks[1].segments = 2;
    const auto times = simulate(schedule, *make_fabric(network));
    expect_times(times, 1, 0, 10);
    // The first half is in the buffer until 7; then the second comes in unbuffered.
    EXPECT_DOUBLE_EQ(times.transfers[1].sent.value, 10);
    EXPECT_EQ(fault_of(schedule, network, times), "");
    auto sooner = times;
    sooner.transfers[1].end -= Seconds(1);
    EXPECT_NE(fault_of(schedule, network, sooner), "");
}

TEST(Reception, is_refused_where_it_is_not_defined) {
    Schedule schedule = exchange(3, {{0, 1, 5}, {1, 2, 3}, {0, 2, 3}}, buffered(10));
    network::GridNetwork grid = *uniform_grid(3, 1, 0, 1).grid();
    grid.shared = {{"uplink", BytesPerSecond(0.5), {{0, 1}, {1, 2}}}};
    const network::Network sharing(grid);
    const auto simulated = [&](const network::Network& network) {
        return simulate(schedule, *make_fabric(network)).makespan;
    };
    EXPECT_THROW(static_cast<void>(simulated(sharing)), InputError);
    EXPECT_NO_THROW(static_cast<void>(simulated(byte_a_second(3))));
    schedule.ports.duplex = Ports::Duplex::half;
    EXPECT_THROW(static_cast<void>(simulated(byte_a_second(3))), InputError);
}

TEST(CheckReception, says_what_is_wrong) {
    const auto network = byte_a_second(4);
    const Schedule stored = exchange(4, {{0, 3, 5}, {1, 3, 3}, {1, 2, 2}}, buffered(3));
    const auto times = simulate(stored, *make_fabric(network));
    EXPECT_EQ(fault_of(stored, network, times), "");
    Schedule tight = stored;
    tight.reception = buffered(2);
    EXPECT_THAT(fault_of(tight, network, times),
                AllOf(HasSubstr("transfer 1"), HasSubstr("does not fit into the 2 bytes of 'd'")));
    Schedule direct = stored;
    direct.reception = interleaved(0);
    EXPECT_THAT(fault_of(direct, network, times), HasSubstr("port of 'b'"));

    auto crowded = times;
    crowded.transfers[1].end = Seconds(7);
    EXPECT_THAT(fault_of(stored, network, crowded), HasSubstr("port of 'd'"));

    const Schedule mixed = exchange(4, {{0, 3, 4}, {1, 3, 6}}, interleaved(0.25));
    const auto shared = simulate(mixed, *make_fabric(network));
    EXPECT_EQ(fault_of(mixed, network, shared), "");
    for (const double by : {-0.5, 0.5}) {
        auto other = shared;
        other.transfers[1].end += Seconds(by);
        EXPECT_THAT(fault_of(mixed, network, other),
                    AllOf(HasSubstr("transfer 1"), HasSubstr("it ends at 12.5 s")));
    }
}

TEST(CheckReception, who_waits_is_not_passed) {
    const auto network = byte_a_second(4);
    // c's message starts after b's, which waits.
    const Schedule schedule =
        exchange(4, {{0, 3, 5}, {1, 3, 3}, {2, 0, 1}, {2, 3, 3}}, buffered(6));
    auto times = simulate(schedule, *make_fabric(network));
    EXPECT_EQ(fault_of(schedule, network, times), "");
    std::swap(times.transfers[1].end, times.transfers[3].end);
    EXPECT_THAT(fault_of(schedule, network, times), HasSubstr("which came first"));
}

TEST(CheckReception, a_sender_keeps_its_order) {
    const auto network = byte_a_second(3);
    const Schedule schedule = exchange(3, {{0, 1, 2}, {0, 2, 2}}, interleaved(0));
    auto times = simulate(schedule, *make_fabric(network));
    std::swap(times.transfers[0], times.transfers[1]);
    EXPECT_THAT(fault_of(schedule, network, times), HasSubstr("which 'a' sends first"));
}

TEST(CheckReception, no_receiver_works_more_than_its_time_where_links_are_shared) {
    network::GridNetwork grid = *uniform_grid(3, 0, 0, 1).grid();
    grid.shared = {{"uplink", BytesPerSecond(1), {{0, 2}, {1, 2}}}};
    const network::Network network(grid);
    const Schedule schedule = exchange(3, {{0, 2, 4}, {1, 2, 6}}, interleaved(0.5));
    auto times = simulate(schedule, *make_fabric(network));
    EXPECT_DOUBLE_EQ(times.transfers[1].end.value, 15);
    EXPECT_EQ(fault_of(schedule, network, times), "");
    times.transfers[1].end = Seconds(14);
    EXPECT_THAT(fault_of(schedule, network, times), HasSubstr("'c' can have received it"));
}

TEST(Barriers, hold_everyone_back_until_all_before_them_is_over) {
    const auto network = byte_a_second(4);
    Schedule schedule = exchange(4, {{0, 1, 5}, {2, 3, 2}, {2, 1, 1}, {3, 0, 4}}, {});
    schedule.barriers = {2, 4};
    auto times = simulate(schedule, *make_fabric(network));
    expect_times(times, 2, 5, 6);
    expect_times(times, 3, 5, 9);
    EXPECT_EQ(fault_of(schedule, network, times), "");
    times.transfers[3] = {Seconds(4), Seconds(8), Seconds(4), Seconds(8)};
    EXPECT_THAT(fault_of(schedule, network, times),
                AllOf(HasSubstr("transfer 3"), HasSubstr("over at 5 s")));
}

TEST(Barriers, a_step_of_segments_is_sent_whole_before_the_next) {
    const auto network = byte_a_second(3);
    Schedule schedule = hand_made(Kind::broadcast, 3, 4);
    schedule.chunks[0].segments = 2;
    add_copy(schedule, 0, 1);
    add_copy(schedule, 1, 2);
    EXPECT_DOUBLE_EQ(simulate(schedule, *make_fabric(network)).makespan.value, 6);
    schedule.barriers = {1};
    EXPECT_DOUBLE_EQ(simulate(schedule, *make_fabric(network)).makespan.value, 8);
}

}  // namespace
}  // namespace espalier::simulate
