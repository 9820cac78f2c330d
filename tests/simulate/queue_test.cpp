// One mechanism at a time, where messages only queue.

#include "core/error.hpp"
#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

namespace espalier::simulate {
namespace {

using namespace espalier::testing;
using schedule::Kind;
using schedule::LocalPart;
using schedule::Ports;
using schedule::Schedule;
using schedule::Timeline;
using ::testing::AllOf;
using ::testing::HasSubstr;

Timeline run(const Schedule& schedule, const network::Network& network) {
    return simulate(schedule, *make_fabric(network));
}

Schedule chain(std::size_t nodes, std::uint64_t bytes, std::size_t segments) {
    Schedule schedule = hand_made(Kind::broadcast, nodes, bytes);
    schedule.chunks[0].segments = segments;
    for (std::size_t node = 1; node < nodes; ++node) add_copy(schedule, node - 1, node);
    return schedule;
}

Schedule star(std::size_t nodes) {
    Schedule schedule = hand_made(Kind::broadcast, nodes, 100);
    for (std::size_t node = 1; node < nodes; ++node) add_copy(schedule, 0, node);
    return schedule;
}

TEST(Queue, states_both_ends_of_every_transfer) {
    const Timeline timeline = run(star(3), uniform_grid(3, 1, 2));
    EXPECT_DOUBLE_EQ(timeline.transfers[1].start.value, 2);
    EXPECT_DOUBLE_EQ(timeline.transfers[1].sent.value, 4);
    EXPECT_DOUBLE_EQ(timeline.transfers[1].arrival.value, 3);
    EXPECT_DOUBLE_EQ(timeline.transfers[1].end.value, 5);
    EXPECT_DOUBLE_EQ(timeline.completion[0].value, 4);
    EXPECT_DOUBLE_EQ(timeline.completion[1].value, 3);
    EXPECT_DOUBLE_EQ(timeline.completion[2].value, 5);
}

TEST(Queue, a_node_with_two_ports_sends_two_at_once) {
    Schedule schedule = star(4);
    const auto network = uniform_grid(4, 1, 2);
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 7);
    schedule.ports.count = 2;
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 5);
    schedule.ports.count = 3;
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 3);
}

TEST(Queue, a_node_with_two_ports_receives_two_at_once) {
    Schedule schedule = hand_made(Kind::reduce, 4, 100);
    for (std::size_t node = 1; node < 4; ++node) add_combine(schedule, node, 0);
    const auto network = uniform_grid(4, 1, 2);
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 7);
    schedule.ports.count = 2;
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 5);
}

TEST(Queue, half_duplex_keeps_a_node_from_sending_while_it_receives) {
    Schedule schedule = chain(3, 100, 2);
    const auto network = uniform_grid(3, 1, 2);
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 8);
    schedule.ports.duplex = Ports::Duplex::half;
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 10);
}

TEST(Queue, a_chain_is_a_pipeline_however_many_its_segments) {
    EXPECT_DOUBLE_EQ(run(chain(3, 1000, 10), uniform_grid(3, 1, 2)).makespan.value, 24);
    EXPECT_DOUBLE_EQ(run(chain(5, 1000000, 100000), uniform_grid(5, 1, 2)).makespan.value,
                     4 * 3 + 99999 * 2.0);
}

TEST(Queue, the_last_segment_is_what_is_left) {
    // 10 bytes in 4 segments: 3, 3, 3, 1; g(m) = m, L = 0.
    EXPECT_DOUBLE_EQ(run(chain(2, 10, 4), uniform_grid(2, 0, 0, 1)).makespan.value, 10);
    EXPECT_DOUBLE_EQ(run(chain(3, 10, 4), uniform_grid(3, 0, 0, 1)).makespan.value, 13);
}

TEST(Queue, a_node_passes_on_what_its_segment_covers) {
    // L = 1, g(m) = 1 + m / 100.
    const auto network = uniform_grid(3, 1, 1, 0.01);
    Schedule schedule = chain(3, 100, 1);
    schedule.transfers[1].segments = 4;
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 9) << "all at 3, then 4 x 1.25 + 1";
    schedule.transfers[0].segments = 4;
    schedule.transfers[1].segments = 1;
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 9) << "all at 6, then 2 + 1";
    schedule.transfers[1].segments = 2;
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 8.5)
        << "the second half is there at 6, then 1.5 + 1";
}

TEST(Queue, every_segment_goes_to_all_children_before_the_next) {
    Schedule schedule = star(3);
    schedule.chunks[0].segments = 3;
    const Timeline timeline = run(schedule, uniform_grid(3, 1, 2));
    EXPECT_DOUBLE_EQ(timeline.transfers[0].start.value, 0);
    EXPECT_DOUBLE_EQ(timeline.transfers[1].start.value, 2);
    EXPECT_DOUBLE_EQ(timeline.transfers[0].end.value, 11) << "its third segment starts at 8";
    EXPECT_DOUBLE_EQ(timeline.transfers[1].end.value, 13);
}

TEST(Queue, an_answer_awaits_its_request) {
    Schedule schedule = hand_made(Kind::broadcast, 2, 100);
    schedule.chunks.push_back(chunk_of(1));
    schedule.chunks.back().control = true;
    add_copy(schedule, 0, 1, 1);
    add_copy(schedule, 1, 0, 1);
    add_copy(schedule, 0, 1, 0);
    const auto network = uniform_grid(2, 1, 2);
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 5);
    schedule.transfers[1].after = 0;
    schedule.transfers[2].after = 1;
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 9);
}

TEST(Queue, local_parts_follow_their_coordinators_last_transfer) {
    Schedule schedule = star(3);
    schedule.local = {{0, "known", nullptr, Seconds(4), 1, LocalPart::Phase::after},
                      {1, "known", nullptr, Seconds(3), 1, LocalPart::Phase::after}};
    const Timeline timeline = run(schedule, uniform_grid(3, 1, 2));
    EXPECT_DOUBLE_EQ(timeline.local[0].start.value, 4) << "after two sends";
    EXPECT_DOUBLE_EQ(timeline.local[1].start.value, 3) << "on receipt";
    EXPECT_DOUBLE_EQ(timeline.local[1].end.value, 6);
    EXPECT_DOUBLE_EQ(timeline.makespan.value, 8);
}

TEST(Queue, local_parts_before_hold_their_coordinators_transfers_back) {
    Schedule schedule = reduction();
    schedule.local = {{3, "known", nullptr, Seconds(4), 1, LocalPart::Phase::before}};
    const auto network = uniform_grid(4, 1, 2);
    EXPECT_DOUBLE_EQ(run(schedule, network).transfers[1].start.value, 4);
    EXPECT_DOUBLE_EQ(run(schedule, network).makespan.value, 10);
    EXPECT_DOUBLE_EQ(run(schedule, network).local[0].end.value, 4);
    schedule.local[0].node = 2;
    EXPECT_DOUBLE_EQ(run(schedule, network).transfers[1].start.value, 3)
        << "c's port takes it from 4 on";
}

TEST(Queue, says_which_transfer_waits_for_ever) {
    // c waits for a's copy first; a waits for the second segment, which x sends after it has
    // served c.
    Schedule schedule = hand_made(Kind::broadcast, 3, 100);
    schedule.chunks[0].segments = 1;
    add_copy(schedule, 0, 1).segments = 2;
    add_copy(schedule, 1, 2);
    add_copy(schedule, 0, 2);
    try {
        static_cast<void>(run(schedule, uniform_grid(3, 1, 2)));
        FAIL() << "it can't proceed";
    } catch (const InvalidError& fault) {
        EXPECT_THAT(fault.what(), AllOf(HasSubstr("can't proceed"), HasSubstr("transfer")));
    }
    schedule.transfers[0].segments = 1;
    EXPECT_DOUBLE_EQ(run(schedule, uniform_grid(3, 1, 2)).makespan.value, 8);
}

TEST(Queue, no_bytes_take_the_time_of_an_empty_message) {
    EXPECT_DOUBLE_EQ(run(chain(3, 0, 1), uniform_grid(3, 1, 2, 7)).makespan.value, 6);
    EXPECT_DOUBLE_EQ(run(chain(3, 0, 1), uniform_pairwise(3, 1, 100)).makespan.value, 2);
}

TEST(Queue, a_single_node_is_done_at_once) {
    Schedule schedule = hand_made(Kind::broadcast, 1, 100);
    EXPECT_EQ(run(schedule, uniform_grid(1, 1, 2)).makespan, Seconds(0));
    EXPECT_EQ(run(schedule, senders({3})).makespan, Seconds(0));
    schedule.local = {{0, "known", nullptr, Seconds(4), 1, LocalPart::Phase::after}};
    EXPECT_EQ(run(schedule, uniform_grid(1, 1, 2)).makespan, Seconds(4));
}

TEST(Queue, a_schedule_must_fit_its_network) {
    EXPECT_THROW(static_cast<void>(run(star(3), uniform_grid(4, 1, 2))), InvalidError);
}

}  // namespace
}  // namespace espalier::simulate
