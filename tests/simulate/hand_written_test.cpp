// Schedules of every collective, timed by hand under all four models.

#include "network/json.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/expanding.hpp"
#include "support/hand_schedules.hpp"

#include <gtest/gtest.h>

namespace espalier::simulate {
namespace {

using namespace espalier::test;
using schedule::Kind;
using schedule::LocalPart;
using schedule::Schedule;
using schedule::test::group_of;
using schedule::test::part_of;

double makespan(const Schedule& schedule, const network::Network& network) {
    return simulate(schedule, *make_fabric(network)).makespan.value;
}

Schedule half_duplex(Schedule schedule) {
    schedule.ports = {schedule::Ports::Duplex::half, 1};
    return schedule;
}

TEST(HandWritten, take_the_time_that_latency_and_gap_give_on_a_grid) {
    // L = 1, g = 2 of any message.
    const auto time = [](const Schedule& schedule) {
        return makespan(schedule, uniform_grid(schedule.nodes.size(), 1, 2));
    };
    EXPECT_DOUBLE_EQ(time(reduction()), 6) << "both pairs at once, then c to a";
    EXPECT_DOUBLE_EQ(time(reduction_and_broadcast()), 12) << "a to c at 6, c to d at 9";
    EXPECT_DOUBLE_EQ(time(ring_allreduce()), 12) << "four rounds";
    EXPECT_DOUBLE_EQ(time(ring_allgather()), 9) << "three rounds";
    EXPECT_DOUBLE_EQ(time(total_exchange()), 5) << "two sends each, back to back";
    EXPECT_DOUBLE_EQ(time(two_trees()), 8) << "b's second receive follows c's first";
    EXPECT_DOUBLE_EQ(time(scatter()), 6);
    EXPECT_DOUBLE_EQ(time(gather()), 6);
    EXPECT_DOUBLE_EQ(time(reduce_scatter()), 3);
}

TEST(HandWritten, a_message_of_two_blocks_costs_its_bytes_once) {
    // L = 1, g(m) = 1 + m / 100.
    EXPECT_DOUBLE_EQ(makespan(scatter(), uniform_grid(4, 1, 1, 0.01)), 7)
        << "a to c [0, 3] holds at 4, c to d 2 + 1";
    EXPECT_DOUBLE_EQ(makespan(gather(), uniform_grid(4, 1, 1, 0.01)), 7);
}

TEST(HandWritten, keep_both_ends_busy_under_sender_times) {
    const auto four = senders({1, 2, 3, 4});
    const auto three = senders({1, 2, 3});
    EXPECT_DOUBLE_EQ(makespan(half_duplex(reduction()), four), 7);
    EXPECT_DOUBLE_EQ(makespan(half_duplex(reduction_and_broadcast()), four), 11);
    EXPECT_DOUBLE_EQ(makespan(half_duplex(total_exchange()), three), 12);
    EXPECT_DOUBLE_EQ(makespan(half_duplex(two_trees()), three), 7);
}

TEST(HandWritten, pay_start_up_and_bytes_between_each_pair) {
    // 1 s, then 100 bytes a second.
    const auto time = [](const Schedule& schedule) {
        return makespan(schedule, uniform_pairwise(schedule.nodes.size(), 1, 100));
    };
    EXPECT_DOUBLE_EQ(time(reduction()), 4);
    EXPECT_DOUBLE_EQ(time(reduction_and_broadcast()), 8);
    EXPECT_DOUBLE_EQ(time(ring_allreduce()), 4 * 1.1);
    EXPECT_DOUBLE_EQ(time(ring_allgather()), 6);
    EXPECT_DOUBLE_EQ(time(total_exchange()), 4);
    EXPECT_DOUBLE_EQ(time(two_trees()), 6);
    EXPECT_DOUBLE_EQ(time(scatter()), 5);
}

/// Four hosts on one switch: links of 100 bytes a second that both directions share.
network::Network star() {
    return network::parse_network(
        R"({"format":"espalier-network","version":1,"model":"links",
            "nodes":[{"name":"a","cycle_time":1},{"name":"b","cycle_time":1},
                     {"name":"c","cycle_time":1},{"name":"d","cycle_time":1},{"name":"r"}],
            "links":[
             {"name":"1","from":"a","to":"r","bandwidth":100,"latency":0,"kind":"bidirectional"},
             {"name":"2","from":"b","to":"r","bandwidth":100,"latency":0,"kind":"bidirectional"},
             {"name":"3","from":"c","to":"r","bandwidth":100,"latency":0,"kind":"bidirectional"},
             {"name":"4","from":"d","to":"r","bandwidth":100,"latency":0,"kind":"bidirectional"}]})",
        "star");
}

TEST(HandWritten, share_the_links_that_they_cross) {
    EXPECT_DOUBLE_EQ(makespan(reduction(), star()), 2);
    EXPECT_DOUBLE_EQ(makespan(ring_allgather(), star()), 6)
        << "each sends and receives at once over one link: half of it each";
    EXPECT_DOUBLE_EQ(makespan(scatter(), star()), 3) << "200 bytes, then two times 100 apart";
}

/// Ranks 2 g and 2 g + 1 are group g: L = 5, g = 3 between groups, L = 1, g = 2 inside.
double makespan_of_ranks(const Schedule& top, std::size_t groups) {
    network::GridNetwork grid;
    const auto link = [](double latency, double gap) {
        return network::PLogP{network::CostTable(Seconds(latency)),
                              network::CostTable(Seconds(gap))};
    };
    grid.links = {groups, groups, link(5, 3)};
    std::vector<schedule::Group> members;
    for (std::size_t g = 0; g < groups; ++g) {
        network::Cluster cluster;
        cluster.name = std::string(1, static_cast<char>('p' + g));
        cluster.size = 2;
        cluster.inside = network::Cluster::Local{link(1, 2)};
        members.push_back(group_of(cluster.name, 2));
        grid.clusters.push_back(std::move(cluster));
    }
    const network::GridView view(grid);
    std::vector<network::GridView::Place> places;
    for (std::size_t rank = 0; rank < view.nodes(); ++rank) places.push_back(view.place_of(rank));
    return simulate(schedule::expand(top, members), *make_rank_fabric(view, places)).makespan.value;
}

TEST(HandWritten, work_in_groups) {
    Schedule reduce_inside = hand_made(Kind::reduce, 2, 100);
    add_combine(reduce_inside, 1, 0);
    Schedule broadcast_inside = hand_made(Kind::broadcast, 2, 100);
    add_copy(broadcast_inside, 0, 1);

    Schedule broadcast = hand_made(Kind::broadcast, 3, 100);
    add_copy(broadcast, 0, 1);
    add_copy(broadcast, 0, 2);
    for (std::size_t g = 0; g < 3; ++g) broadcast.local.push_back(part_of(g, broadcast_inside));
    EXPECT_DOUBLE_EQ(makespan_of_ranks(broadcast, 3), 14) << "3 + 3 + 5, then 2 + 1";

    Schedule reduce = hand_made(Kind::reduce, 3, 100);
    add_combine(reduce, 1, 0);
    add_combine(reduce, 2, 0);
    for (std::size_t g = 0; g < 3; ++g)
        reduce.local.push_back(part_of(g, reduce_inside, LocalPart::Phase::before));
    EXPECT_DOUBLE_EQ(makespan_of_ranks(reduce, 3), 14)
        << "3 inside, 3 + 5 for the first, and a receives the second after it";

    Schedule allreduce = hand_made(Kind::allreduce, 2, 100);
    add_combine(allreduce, 1, 0);
    add_copy(allreduce, 0, 1);
    for (std::size_t g = 0; g < 2; ++g) {
        allreduce.local.push_back(part_of(g, reduce_inside, LocalPart::Phase::before));
        allreduce.local.push_back(part_of(g, broadcast_inside));
    }
    EXPECT_DOUBLE_EQ(makespan_of_ranks(allreduce, 2), 22) << "3, there 8, back 8, and 3";
}

TEST(HandWritten, two_trees_halve_the_time_of_a_long_message_to_two) {
    // g(m) = m, L = 0: one tree sends 200 twice; two trees send both halves everywhere at once.
    Schedule one = hand_made(Kind::broadcast, 3, 200);
    add_copy(one, 0, 1);
    add_copy(one, 1, 2);
    EXPECT_DOUBLE_EQ(makespan(one, uniform_grid(3, 0, 0, 1)), 400);
    EXPECT_DOUBLE_EQ(makespan(two_trees(), uniform_grid(3, 0, 0, 1)), 300);
}

}  // namespace
}  // namespace espalier::simulate
