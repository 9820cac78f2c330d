// What a message waits for where nodes send and receive the same chunk more than once, or several
// chunks in one message. Times are worked out by hand.

#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace espalier::simulate {
namespace {

using namespace espalier::test;
using schedule::Kind;
using schedule::Schedule;
using schedule::Timeline;
using ::testing::Pointwise;

MATCHER(IsAbout, "") { return std::abs(std::get<0>(arg) - std::get<1>(arg)) < 1e-9; }

/// The same network with a capacity that all draw on and nothing exhausts: messages no longer only
/// queue, and another engine times them.
network::Network with_wide_capacity(const network::Network& network) {
    network::GridNetwork grid = *network.grid();
    network::SharedCapacity wide{"wide", BytesPerSecond(1e12), {}};
    for (std::size_t i = 0; i < grid.size(); ++i)
        for (std::size_t j = 0; j < grid.size(); ++j)
            if (i != j) wide.pairs.emplace_back(i, j);
    grid.shared = {wide};
    return network::Network(std::move(grid));
}

void expect_times(const Schedule& schedule, const network::Network& network,
                  const std::vector<double>& starts, const std::vector<double>& ends) {
    for (const auto& same : {network, with_wide_capacity(network)}) {
        const Timeline timeline = simulate(schedule, *make_fabric(same));
        std::vector<double> start;
        std::vector<double> end;
        for (const auto& times : timeline.transfers) {
            start.push_back(times.start.value);
            end.push_back(times.end.value);
        }
        EXPECT_THAT(start, Pointwise(IsAbout(), starts));
        EXPECT_THAT(end, Pointwise(IsAbout(), ends));
        EXPECT_NEAR(timeline.makespan.value, std::ranges::max(ends), 1e-9);
    }
}

TEST(OrderOfData, a_node_sends_before_it_receives_what_is_listed_later) {
    // L = 1, g = 2. All of the first round go at once. b passes on what a brought at 3; a has
    // nothing to wait for, and c takes from it when it has taken in b's.
    expect_times(doubling_scan(), uniform_grid(4, 1, 2), {0, 0, 0, 3, 2}, {3, 3, 3, 6, 5});
    expect_times(doubling_scan(Kind::exscan), uniform_grid(4, 1, 2), {0, 0, 0, 3, 2},
                 {3, 3, 3, 6, 5});
}

TEST(OrderOfData, and_waits_for_all_that_is_listed_earlier) {
    // The same transfers upwards: a chain; then d takes from b when it has taken in what c has.
    Schedule schedule = doubling_scan();
    std::swap(schedule.transfers[0], schedule.transfers[2]);
    expect_times(schedule, uniform_grid(4, 1, 2), {0, 3, 6, 8, 5}, {3, 6, 9, 11, 8});
}

TEST(OrderOfData, every_segment_waits_for_its_like) {
    // L = 1, g = 1 of 50 bytes. Ports go segment by segment: b sends its own first half to c at
    // 0, a's and its own to d at 2, its second half to c at 3 and both to d at 4.
    Schedule schedule = doubling_scan();
    schedule.chunks[0].segments = 2;
    expect_times(schedule, uniform_grid(4, 1, 0, 0.02), {0, 0, 0, 2, 1}, {5, 5, 4, 6, 6});
}

TEST(OrderOfData, all_combined_before_a_send_is_in_it) {
    // L = 1, g = 2. c hears of b at 3 and of d at 5, tells a, and takes the result.
    Schedule schedule = hand_made(Kind::allreduce, 4, 100);
    add_combine(schedule, 1, 2);
    add_combine(schedule, 3, 2);
    add_combine(schedule, 2, 0);
    add_copy(schedule, 0, 2);
    add_copy(schedule, 2, 1);
    add_copy(schedule, 2, 3);
    expect_times(schedule, uniform_grid(4, 1, 2), {0, 2, 5, 8, 11, 13}, {3, 5, 8, 11, 14, 16});
}

TEST(OrderOfData, what_is_listed_last_need_not_come_last) {
    // L = 1, g = 2, but b needs 6 to c; c takes in both at once.
    Schedule schedule = reduction();
    schedule.transfers.clear();
    add_combine(schedule, 1, 2);
    add_combine(schedule, 3, 2);
    add_combine(schedule, 2, 0);
    schedule.ports.count = 2;
    network::GridNetwork grid = *uniform_grid(4, 1, 2).grid();
    grid.links(1, 2)->gap = network::CostTable(Seconds(6));
    expect_times(schedule, network::Network(grid), {0, 0, 7}, {7, 3, 10});
}

TEST(OrderOfData, a_stripe_goes_round_while_others_do) {
    // L = 1, g = 2: four steps, in each of which every node waits for the one before it.
    expect_times(ring_allreduce(), uniform_grid(3, 1, 2), {0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9, 9},
                 {3, 3, 3, 6, 6, 6, 9, 9, 9, 12, 12, 12});
}

/// a gathers; c collects from d and e, and b sends straight to a.
Schedule gather_by_levels() {
    Schedule schedule = hand_made(Kind::gather, 5, 100);
    schedule.chunks.clear();
    for (std::size_t node = 0; node < 5; ++node) {
        schedule.chunks.push_back(chunk_of(100));
        schedule.chunks.back().source = node;
    }
    add_copy(schedule, 3, 2, 3);
    add_copy(schedule, 4, 2, 4);
    add_copy(schedule, 1, 0, 1);
    add_copy(schedule, 2, 0, 2).chunks = 3;
    return with_blocks(schedule, {100, 100, 100, 100, 300});
}

TEST(OrderOfData, a_message_of_several_chunks_waits_for_each_of_them) {
    // L = 1, g(m) = m / 100. d's block is with c at 2; e's, of 300 bytes, at 5, when c's port is
    // free of d's at 2. c's message of 500 bytes leaves at 5, though a is free.
    expect_times(gather_by_levels(), uniform_grid(5, 1, 0, 0.01), {0, 1, 0, 5}, {2, 5, 2, 11});
    // Also when the one that is listed last comes first.
    Schedule other = gather_by_levels();
    std::swap(other.transfers[0], other.transfers[1]);
    expect_times(other, uniform_grid(5, 1, 0, 0.01), {0, 3, 0, 5}, {4, 5, 2, 11});
}

TEST(OrderOfData, each_part_of_a_cut_message_waits_for_its_own_chunks) {
    // The same, c's message in 5 segments of 100 bytes: its own block; d's; e's, which is whole at
    // 5. b's block is first at a.
    Schedule schedule = gather_by_levels();
    schedule.transfers[3].segments = 5;
    expect_times(schedule, uniform_grid(5, 1, 0, 0.01), {0, 1, 0, 1}, {2, 5, 2, 9});
}

TEST(OrderOfData, what_comes_as_one_message_is_passed_on_when_it_is_whole) {
    // L = 1, g(m) = m / 100: c has both blocks at 3.
    expect_times(scatter(), uniform_grid(4, 1, 0, 0.01), {0, 2, 3}, {3, 4, 5});
}

TEST(OrderOfData, nothing_at_all_is_waited_for_too) {
    // L = 1, g = 2: b has heard of both at 5, and tells them.
    expect_times(barrier(), uniform_grid(3, 1, 2), {0, 2, 5, 7}, {3, 5, 8, 10});
}

TEST(OrderOfData, an_empty_block_in_a_message_is_no_hindrance) {
    Schedule schedule = with_blocks(gather_by_levels(), {100, 100, 100, 100, 0});
    expect_times(schedule, uniform_grid(5, 1, 0, 0.01), {0, 1, 0, 2}, {2, 2, 2, 5});
}

}  // namespace
}  // namespace espalier::simulate
