// Transfers that divide a capacity.

#include "core/error.hpp"
#include "network/grid_view.hpp"
#include "network/json.hpp"
#include "simulate/fluid.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace espalier::simulate {
namespace {

using namespace espalier::test;
using schedule::Kind;
using schedule::Schedule;
using schedule::Timeline;

/// Hosts a, b behind one router, c, d behind another; links of 1000 bytes a second to the routers.
network::Network dumbbell(const std::string& trunk, const std::string& b_link = "1000") {
    return network::parse_network(fmt::format(
                                      R"({{"format":"espalier-network","version":1,"model":"links",
             "nodes":[{{"name":"a","cycle_time":1}},{{"name":"b","cycle_time":1}},
                      {{"name":"c","cycle_time":1}},{{"name":"d","cycle_time":1}},
                      {{"name":"r"}},{{"name":"s"}}],
             "links":[
              {{"name":"a","from":"a","to":"r","bandwidth":1000,"latency":0,"kind":"bidirectional"}},
              {{"name":"b","from":"b","to":"r","bandwidth":{},"latency":0,"kind":"bidirectional"}},
              {{"name":"c","from":"c","to":"s","bandwidth":1000,"latency":0,"kind":"bidirectional"}},
              {{"name":"d","from":"d","to":"s","bandwidth":1000,"latency":0,"kind":"bidirectional"}},
              {}]}})",
                                      b_link, trunk),
                                  "dumbbell");
}

constexpr auto shared_trunk =
    R"({"name":"t","from":"r","to":"s","bandwidth":100,"latency":0,"kind":"bidirectional"})";
constexpr auto backbone_trunk =
    R"({"name":"t","from":"r","to":"s","bandwidth":100,"latency":0,"kind":"backbone"})";
constexpr auto directed_trunks =
    R"({"name":"t","from":"r","to":"s","bandwidth":100,"latency":0,"kind":"directed"},
       {"name":"u","from":"s","to":"r","bandwidth":100,"latency":0,"kind":"directed"})";

struct Flow {
    std::size_t from;
    std::size_t to;
    std::uint64_t bytes;
};

/// Messages that depend on nothing, as blocks of an exchange (of unequal sizes).
Schedule flows(const std::vector<Flow>& list) {
    Schedule schedule = hand_made(Kind::alltoall, 4, 100);
    schedule.chunks.clear();
    for (const auto& [from, to, bytes] : list) {
        schedule.chunks.push_back(chunk_of(bytes));
        add_copy(schedule, from, to, schedule.chunks.size() - 1);
    }
    return schedule;
}

std::vector<double> ends(const Schedule& schedule, const network::Network& network) {
    std::vector<double> found;
    for (const auto& times : simulate(schedule, *make_fabric(network)).transfers)
        found.push_back(times.end.value);
    return found;
}

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(Sharing, a_slot_of_a_port_is_taken_until_its_message_has_arrived) {
    // Each message takes 1 s, the one from b also 0.2 s on its way.
    const network::Network grid = network::parse_network(
        R"({"format":"espalier-network","version":1,"model":"grid","clusters":[
             {"name":"a","size":1},{"name":"b","size":1},{"name":"c","size":1},{"name":"d","size":1},
             {"name":"e","size":1}],
            "latency_s":[[0,0,0,0,0],[0.2,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]],
            "gap_s":[[0,1,1,1,1],[1,0,1,1,1],[1,1,0,1,1],[1,1,1,0,1],[1,1,1,1,0]]})",
        "grid");
    Schedule schedule = hand_made(Kind::gather, 5, 100);
    schedule.chunks.clear();
    schedule.ports.count = 2;
    for (std::size_t from = 1; from < 5; ++from) {
        schedule.chunks.push_back(chunk_of(100));
        add_copy(schedule, from, 0, from - 1);
    }
    std::vector<double> starts;
    for (const auto& times : simulate_fluid(schedule, *make_fabric(grid)).transfers)
        starts.push_back(times.start.value);
    EXPECT_THAT(starts, ElementsAre(DoubleEq(0), DoubleEq(0), DoubleEq(1), DoubleEq(1.2)));
}

TEST(Sharing, two_flows_over_one_link_take_twice_as_long) {
    const Schedule both = flows({{0, 2, 100}, {1, 3, 100}});
    EXPECT_THAT(ends(flows({{0, 2, 100}}), dumbbell(shared_trunk)), ElementsAre(DoubleEq(1)));
    EXPECT_THAT(ends(both, dumbbell(shared_trunk)), ElementsAre(DoubleEq(2), DoubleEq(2)));
}

TEST(Sharing, a_backbone_gives_every_path_its_full_bandwidth) {
    const Schedule both = flows({{0, 2, 100}, {1, 3, 100}});
    EXPECT_THAT(ends(both, dumbbell(backbone_trunk)), ElementsAre(DoubleEq(1), DoubleEq(1)));
}

TEST(Sharing, a_bidirectional_link_is_shared_by_both_ways_and_two_directed_ones_are_not) {
    const Schedule across = flows({{0, 2, 100}, {3, 1, 100}});
    EXPECT_THAT(ends(across, dumbbell(shared_trunk)), ElementsAre(DoubleEq(2), DoubleEq(2)));
    EXPECT_THAT(ends(across, dumbbell(directed_trunks)), ElementsAre(DoubleEq(1), DoubleEq(1)));
}

TEST(Sharing, the_longer_flow_takes_over_what_the_shorter_one_leaves) {
    EXPECT_THAT(ends(flows({{0, 2, 100}, {1, 3, 300}}), dumbbell(shared_trunk)),
                ElementsAre(DoubleEq(2), DoubleEq(4)));
}

TEST(Sharing, a_flow_that_is_held_back_elsewhere_leaves_its_share_to_others) {
    EXPECT_THAT(ends(flows({{0, 2, 150}, {1, 3, 50}}), dumbbell(shared_trunk, "25")),
                ElementsAre(DoubleEq(2), DoubleEq(2)));
}

TEST(Sharing, latencies_and_start_ups_come_on_top) {
    auto links =
        *dumbbell(
             R"({"name":"t","from":"r","to":"s","bandwidth":100,"latency":0.5,"kind":"bidirectional"})")
             .links();
    links.nodes[0].startup = 0.25;
    EXPECT_THAT(ends(flows({{0, 2, 100}, {1, 3, 100}}), network::Network(links)),
                ElementsAre(DoubleEq(2.75), DoubleEq(2.5)));
}

/// g(m) = m / 100, L = 1, and what several pairs may move together.
network::Network grid_with(std::vector<network::SharedCapacity> shared) {
    network::GridNetwork grid = *uniform_grid(4, 1, 0, 0.01).grid();
    grid.shared = std::move(shared);
    return network::Network(std::move(grid));
}

TEST(Sharing, pairs_of_a_grid_share_their_capacity_and_others_do_not) {
    const auto network = grid_with({{"uplink", BytesPerSecond(100), {{0, 2}, {1, 3}}}});
    EXPECT_THAT(ends(flows({{0, 2, 100}, {1, 3, 100}}), network),
                ElementsAre(DoubleEq(3), DoubleEq(3)));
    EXPECT_THAT(ends(flows({{0, 2, 100}, {1, 2, 100}}), network),
                ElementsAre(DoubleEq(2), DoubleEq(3)))
        << "the second waits for the port alone";
    EXPECT_THAT(ends(flows({{0, 2, 100}, {3, 1, 100}}), network),
                ElementsAre(DoubleEq(2), DoubleEq(2)));
}

TEST(Sharing, a_capacity_below_one_pairs_own_rate_slows_it_down_alone) {
    const auto network = grid_with({{"uplink", BytesPerSecond(50), {{0, 2}}}});
    EXPECT_THAT(ends(flows({{0, 2, 100}}), network), ElementsAre(DoubleEq(3)));
}

TEST(Sharing, the_tightest_of_several_capacities_counts) {
    const auto network = grid_with(
        {{"x", BytesPerSecond(150), {{0, 2}, {1, 3}}}, {"y", BytesPerSecond(50), {{0, 2}}}});
    EXPECT_THAT(ends(flows({{0, 2, 100}, {1, 3, 100}}), network),
                ElementsAre(DoubleEq(3), DoubleEq(2)))
        << "50 and 100 of 150";
}

TEST(Sharing, a_pipeline_goes_at_its_capacitys_pace) {
    // a to b to c over a capacity of 100 for both hops: each gets half when both move.
    const auto network = grid_with({{"x", BytesPerSecond(100), {{0, 1}, {1, 2}}}});
    Schedule schedule = hand_made(Kind::broadcast, 4, 200);
    schedule.chunks[0].segments = 2;
    add_copy(schedule, 0, 1);
    add_copy(schedule, 1, 2);
    // 0 to 1: first alone until 1. Second [1, ...]; the first arrives at 2 and moves on from there.
    const Timeline timeline = simulate(schedule, *make_fabric(network));
    EXPECT_DOUBLE_EQ(timeline.transfers[0].end.value, 3) << "second alone, [1, 2]";
    EXPECT_DOUBLE_EQ(timeline.transfers[1].end.value, 5) << "[2, 3] and [3, 4]";
}

TEST(Sharing, a_nodes_own_caps_limit_what_it_sends_and_receives) {
    network::PairwiseNetwork pairwise = *uniform_pairwise(4, 1, 100).pairwise();
    pairwise.egress = std::vector(4, BytesPerSecond(50));
    const auto one = [&] { return ends(flows({{0, 2, 100}}), network::Network(pairwise)); };
    EXPECT_THAT(one(), ElementsAre(DoubleEq(3))) << "1 s, then 100 bytes at 50 a second";
    pairwise.ingress = std::vector(4, BytesPerSecond(25));
    EXPECT_THAT(one(), ElementsAre(DoubleEq(5)));
    pairwise.egress.clear();
    EXPECT_THAT(one(), ElementsAre(DoubleEq(5)));
    // Two at once into one node of two ports share what it can take.
    pairwise = *uniform_pairwise(4, 0, 100).pairwise();
    pairwise.ingress = std::vector(4, BytesPerSecond(100));
    Schedule both = flows({{0, 2, 100}, {1, 2, 100}});
    both.ports.count = 2;
    EXPECT_THAT(ends(both, network::Network(pairwise)), ElementsAre(DoubleEq(2), DoubleEq(2)));
    pairwise.ingress.clear();
    EXPECT_THAT(ends(both, network::Network(pairwise)), ElementsAre(DoubleEq(1), DoubleEq(1)));
}

TEST(Sharing, half_duplex_holds_a_receiver_until_the_end) {
    // b receives from a until 2 + 1, and sends to c only then; with a capacity that never binds.
    Schedule schedule = flows({{0, 1, 200}, {1, 2, 100}});
    schedule.ports.duplex = schedule::Ports::Duplex::half;
    const auto alone = ends(schedule, grid_with({}));
    EXPECT_THAT(alone, ElementsAre(DoubleEq(3), DoubleEq(5)));
    EXPECT_EQ(ends(schedule, grid_with({{"wide", BytesPerSecond(1e9), {{0, 1}, {1, 2}}}})), alone);
}

TEST(Sharing, messages_of_no_bytes_share_nothing) {
    EXPECT_THAT(ends(flows({{0, 2, 0}, {1, 3, 0}}), dumbbell(shared_trunk)),
                ElementsAre(DoubleEq(0), DoubleEq(0)));
}

TEST(Sharing, says_which_transfer_waits_for_ever) {
    Schedule schedule = hand_made(Kind::broadcast, 4, 100);
    add_copy(schedule, 0, 1).segments = 2;
    add_copy(schedule, 1, 2);
    add_copy(schedule, 0, 2);
    EXPECT_THROW(static_cast<void>(simulate(schedule, *make_fabric(dumbbell(shared_trunk)))),
                 InvalidError);
}

/// Three nodes that each send and receive 100 bytes a second in all; a message takes 2 s beside.
network::GridNetwork capped() {
    network::GridNetwork grid;
    grid.links = {1, 1};
    network::Cluster cluster;
    cluster.name = "x";
    cluster.size = 3;
    cluster.inside = network::Cluster::Local{
        {network::CostTable(Seconds(10)),
         network::CostTable({{Bytes(0), Seconds(2)}, {Bytes(100), Seconds(3)}})}};
    cluster.egress = cluster.ingress = BytesPerSecond(100);
    grid.clusters = {cluster};
    return grid;
}

TEST(Sharing, a_node_of_several_ports_begins_no_sooner_than_an_overhead_later) {
    const network::GridNetwork grid = capped();
    const network::GridView view(grid);
    const auto fabric = make_rank_fabric(view, {{0, 0}, {0, 1}, {0, 2}});
    Schedule schedule = hand_made(Kind::alltoall, 3, 100);
    schedule.chunks = {chunk_of(1), chunk_of(1), chunk_of(1)};
    add_copy(schedule, 0, 1, 0);
    add_copy(schedule, 0, 2, 1);
    add_copy(schedule, 1, 2, 2);
    schedule.ports.count = 4;
    const auto starts = [&] {
        std::vector<double> found;
        for (const auto& times : simulate(schedule, *fabric).transfers)
            found.push_back(times.start.value);
        return found;
    };
    constexpr double overhead = 2.01;  // what a byte takes
    const auto near = [](double time) { return ::testing::DoubleNear(time, 1e-12); };
    // The third node takes in the one message after the other, as they come.
    EXPECT_THAT(starts(), ElementsAre(near(0), near(overhead), near(0)));
    std::swap(schedule.transfers[0], schedule.transfers[1]);
    std::swap(schedule.transfers[1], schedule.transfers[2]);
    EXPECT_THAT(starts(), ElementsAre(near(overhead), near(0), near(2 * overhead)));
}

TEST(Sharing, several_messages_of_a_node_have_its_own_cap_together) {
    const network::GridNetwork grid = capped();
    const network::GridView view(grid);
    const auto fabric = make_rank_fabric(view, {{0, 0}, {0, 1}, {0, 2}});
    Schedule schedule = hand_made(Kind::alltoall, 3, 1'000'000);
    schedule.chunks = {chunk_of(1'000'000), chunk_of(1'000'000)};
    add_copy(schedule, 0, 1, 0);
    add_copy(schedule, 0, 2, 1);
    schedule.ports.count = 2;
    EXPECT_NEAR(simulate(schedule, *fabric).makespan.value, 20'000, 20);
}

}  // namespace
}  // namespace espalier::simulate
