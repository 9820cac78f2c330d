#include "simulate/fabric.hpp"

#include "core/error.hpp"
#include "core/random.hpp"
#include "network/convert.hpp"
#include "network/json.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/rendezvous.hpp"
#include "simulate/renumbered.hpp"
#include "support/hand_schedules.hpp"
#include "support/random_platforms.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace espalier::simulate {
namespace {

using namespace espalier::test;
using network::CostTable;
using network::GridView;
using network::PLogP;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string fault_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& fault) {
        return fault.what();
    }
    return "";
}

TEST(Fabric, sender_times_do_not_depend_on_receiver_or_size) {
    network::SenderNetwork sender;
    sender.classes = {{"old", 3, 2, false}, {"new", 1, 3, false}};
    const network::Network network(sender);
    const auto fabric = make_fabric(network);
    EXPECT_EQ(fabric->nodes(), 5U);
    EXPECT_EQ(fabric->ports(), (schedule::Ports{schedule::Ports::Duplex::half, 1}));
    for (std::size_t node = 0; node < 5; ++node) {
        EXPECT_EQ(fabric->cost(node, 4, Bytes(7)).gap, Seconds(node < 2 ? 3 : 1));
        EXPECT_EQ(fabric->cost(node, 0, Bytes(0)).latency, Seconds(0));
    }
}

TEST(Fabric, names_the_pair_whose_cost_is_not_known) {
    network::PairwiseNetwork pairwise = *uniform_pairwise(3, 1, 100).pairwise();
    pairwise.bandwidth(0, 2).reset();
    pairwise.startup(2, 1).reset();
    const network::Network network(pairwise);
    const auto fabric = make_fabric(network);
    EXPECT_THAT(fault_of([&] { static_cast<void>(fabric->cost(0, 2, Bytes(1))); }),
                AllOf(HasSubstr("'a'"), HasSubstr("'c'"), HasSubstr("not known")));
    EXPECT_THAT(fault_of([&] { static_cast<void>(fabric->floor(2, 1, Bytes(1))); }),
                HasSubstr("'c' to 'b'"));
    network::GridNetwork grid = *uniform_grid(2, 1, 2).grid();
    grid.links(1, 0).reset();
    const network::Network half(grid);
    EXPECT_THAT(fault_of([&] { static_cast<void>(make_fabric(half)->cost(1, 0, Bytes(1))); }),
                HasSubstr("'b' to 'a'"));
}

/// By the names of what a message draws on.
std::vector<std::string> drawn_on(const Fabric& fabric, std::size_t from, std::size_t to) {
    std::vector<std::string> names;
    for (const std::uint32_t c : fabric.draws(from, to))
        names.push_back(fabric.capacities()[c].name);
    std::ranges::sort(names);
    return names;
}

TEST(Fabric, physical_links_are_the_same_as_a_grid_of_their_hosts) {
    Random random(5);
    for (int n = 0; n < 20; ++n) {
        const auto links = random_platform(random, {.hosts = 5, .backbone = 0.3, .latencies = 2});
        const network::Network physical(links);
        const network::Network grid(network::to_grid(links));
        const auto expected = make_fabric(physical);
        const auto fabric = make_fabric(grid);
        ASSERT_EQ(fabric->nodes(), expected->nodes());
        for (std::size_t i = 0; i < 5; ++i) {
            EXPECT_EQ(node_name(grid, i), node_name(physical, i));
            for (std::size_t j = 0; j < 5; ++j) {
                if (i == j) continue;
                for (const std::uint64_t size : {0U, 1U, 1000U, 3000000U}) {
                    const MessageCost cost = fabric->cost(i, j, Bytes(size));
                    const MessageCost same = expected->cost(i, j, Bytes(size));
                    EXPECT_DOUBLE_EQ(cost.gap.value, same.gap.value);
                    EXPECT_DOUBLE_EQ(cost.latency.value, same.latency.value);
                }
                EXPECT_EQ(drawn_on(*fabric, i, j), drawn_on(*expected, i, j));
            }
        }
        for (const Capacity& capacity : fabric->capacities()) {
            const auto link =
                std::ranges::find(links.links, capacity.name, &network::LinksNetwork::Link::name);
            ASSERT_NE(link, links.links.end());
            EXPECT_DOUBLE_EQ(capacity.limit, link->bandwidth.value);
        }
    }
}

TEST(Fabric, renumbered_nodes_cost_what_they_did) {
    network::PairwiseNetwork pairwise = *uniform_pairwise(3, 1, 100).pairwise();
    pairwise.startup(2, 0) = Seconds(7);
    pairwise.egress = {BytesPerSecond(10), BytesPerSecond(20), BytesPerSecond(30)};
    const network::Network network(pairwise);
    const auto fabric = make_fabric(network);
    const auto two = renumbered(*fabric, {0, 2});
    EXPECT_EQ(two->nodes(), 2U);
    EXPECT_EQ(two->cost(1, 0, Bytes(9)).gap, fabric->cost(2, 0, Bytes(9)).gap);
    EXPECT_EQ(two->floor(0, 1, Bytes(9)).gap, fabric->floor(0, 2, Bytes(9)).gap);
    EXPECT_EQ(drawn_on(*two, 1, 0), drawn_on(*fabric, 2, 0));
    EXPECT_FALSE(drawn_on(*two, 1, 0).empty());
}

TEST(Fabric, longer_messages_come_a_round_trip_later_with_rendezvous) {
    network::PairwiseNetwork pairwise = *uniform_pairwise(3, 1, 100).pairwise();
    pairwise.startup(0, 1) = Seconds(7);
    const network::Network network(pairwise);
    const auto fabric = make_fabric(network);
    const auto waiting = with_rendezvous(*fabric, Bytes(9));
    const MessageCost there = fabric->cost(0, 1, Bytes(0));
    const MessageCost back = fabric->cost(1, 0, Bytes(0));
    ASSERT_NE(there.latency + there.gap, back.latency + back.gap);
    EXPECT_EQ(waiting->cost(0, 1, Bytes(9)).latency, fabric->cost(0, 1, Bytes(9)).latency);
    EXPECT_DOUBLE_EQ(waiting->cost(0, 1, Bytes(10)).latency.value,
                     (fabric->cost(0, 1, Bytes(10)).latency + there.latency + there.gap +
                      back.latency + back.gap)
                         .value);
    EXPECT_EQ(waiting->cost(0, 1, Bytes(10)).gap, fabric->cost(0, 1, Bytes(10)).gap);
}

TEST(Fabric, no_message_of_any_cut_beats_the_floor) {
    const PLogP link{
        CostTable({{Bytes(10), Seconds(5)}, {Bytes(100), Seconds(2)}}),
        CostTable({{Bytes(4), Seconds(1)}, {Bytes(64), Seconds(3)}, {Bytes(128), Seconds(12)}})};
    for (std::uint64_t size = 1; size < 300; ++size) {
        const CostFloor floor = floor_of(link, Bytes(size));
        for (std::uint64_t part = 1; part <= size; ++part) {
            ASSERT_LE(floor.latency.value, link.latency(Bytes(part)).value + 1e-12);
            ASSERT_LE(floor.seconds_per_byte * static_cast<double>(part),
                      link.gap(Bytes(part)).value + 1e-12)
                << size << " " << part;
        }
    }
}

/// A site of two clusters (one with several ranks on a node) and a far cluster.
network::GridNetwork nested() {
    network::GridNetwork site;
    site.links = {2, 2, PLogP{CostTable(Seconds(10)), CostTable(Seconds(20))}};
    site.shared = {{"site-uplink", BytesPerSecond(5), {{0, 1}}}};
    network::Cluster near;
    near.name = "near";
    near.size = 2;
    near.inside = network::Cluster::Local{{CostTable(Seconds(1)), CostTable(Seconds(2))}};
    near.within_node = PLogP{CostTable(Seconds(0.1)), CostTable(Seconds(0.2))};
    network::Cluster next;
    next.name = "next";
    site.clusters = {near, next};
    network::GridNetwork grid;
    grid.links = {2, 2, PLogP{CostTable(Seconds(100)), CostTable(Seconds(200))}};
    grid.shared = {{"uplink", BytesPerSecond(7), {{0, 1}}}};
    network::Cluster outer;
    outer.name = "site";
    outer.size = 3;
    outer.inside = std::make_shared<const network::GridNetwork>(site);
    network::Cluster far;
    far.name = "far";
    far.size = 2;
    far.inside = network::Cluster::KnownBroadcast{Seconds(5)};
    grid.clusters = {outer, far};
    return grid;
}

TEST(RankFabric, ranks_talk_at_the_cost_of_the_level_that_parts_them) {
    const network::GridNetwork grid = nested();
    const GridView view(grid);
    // Two ranks on the first node of near, one on its second, one in next, two in far.
    const auto fabric = make_rank_fabric(view, {{0, 0}, {0, 0}, {0, 1}, {1, 0}, {2, 0}, {2, 1}});
    const auto cost = [&](std::size_t from, std::size_t to) {
        return std::pair(fabric->cost(from, to, Bytes(1)).latency.value,
                         fabric->cost(from, to, Bytes(1)).gap.value);
    };
    EXPECT_EQ(fabric->nodes(), 6U);
    EXPECT_EQ(cost(0, 1), std::pair(0.1, 0.2));
    EXPECT_EQ(cost(1, 2), std::pair(1.0, 2.0));
    EXPECT_EQ(cost(2, 3), std::pair(10.0, 20.0));
    EXPECT_EQ(cost(3, 5), std::pair(100.0, 200.0));
    EXPECT_EQ(cost(4, 0), std::pair(100.0, 200.0));
    EXPECT_THAT(fault_of([&] { static_cast<void>(fabric->cost(4, 5, Bytes(1))); }),
                HasSubstr("'far-0' to 'far-1'"));
}

TEST(RankFabric, ranks_draw_on_the_capacities_of_every_level) {
    const network::GridNetwork grid = nested();
    const GridView view(grid);
    const auto fabric = make_rank_fabric(view, {{0, 0}, {1, 0}, {2, 0}});
    const auto limits = [&](std::size_t from, std::size_t to) {
        std::vector<double> found;
        for (const auto c : fabric->draws(from, to)) found.push_back(fabric->capacities()[c].limit);
        return found;
    };
    EXPECT_THAT(limits(0, 1), ::testing::ElementsAre(5));
    EXPECT_THAT(limits(1, 0), ::testing::IsEmpty());
    EXPECT_THAT(limits(0, 2), ::testing::ElementsAre(7));
    EXPECT_THAT(limits(1, 2), ::testing::ElementsAre(7));
    EXPECT_THAT(limits(2, 1), ::testing::IsEmpty());
}

TEST(RankFabric, ranks_of_a_node_share_what_it_sends_and_receives_elsewhere) {
    network::GridNetwork grid = nested();
    network::GridNetwork site = *grid.clusters[0].grid();
    site.clusters[0].egress = BytesPerSecond(3);
    site.clusters[0].ingress = BytesPerSecond(4);
    grid.clusters[0].inside = std::make_shared<const network::GridNetwork>(site);
    const GridView view(grid);
    const auto fabric = make_rank_fabric(view, {{0, 0}, {0, 0}, {0, 1}, {1, 0}, {2, 0}});
    const auto names = [&](std::size_t from, std::size_t to) {
        std::vector<std::string> found;
        for (const auto c : fabric->draws(from, to)) found.push_back(fabric->capacities()[c].name);
        return found;
    };
    using ::testing::ElementsAre;
    EXPECT_THAT(names(0, 1), ::testing::IsEmpty());
    EXPECT_THAT(names(0, 2), ElementsAre("near-0 egress", "near-1 ingress"));
    EXPECT_EQ(names(1, 2), names(0, 2));
    EXPECT_THAT(names(0, 3), ElementsAre("site-uplink", "near-0 egress"));
    EXPECT_THAT(names(2, 4), ElementsAre("near-1 egress", "uplink"));
    EXPECT_THAT(names(4, 2), ElementsAre("near-1 ingress"));
    EXPECT_THAT(names(4, 3), ::testing::IsEmpty());
    for (const auto c : fabric->draws(0, 2))
        EXPECT_EQ(fabric->capacities()[c].limit, c == fabric->draws(0, 2)[0] ? 3 : 4);
    // Of several messages at once, each has the overhead of the shortest.
    EXPECT_EQ(fabric->cost(0, 2, Bytes(100)).overhead, fabric->cost(0, 2, Bytes(1)).gap);
}

TEST(Fabric, a_route_takes_the_least_bandwidth_and_all_latencies) {
    const auto network = network::parse_network(
        R"({"format":"espalier-network","version":1,"model":"links",
            "nodes":[{"name":"p","cycle_time":1,"startup_s":0.5},{"name":"r"},
                     {"name":"q","cycle_time":2}],
            "links":[
             {"name":"1","from":"p","to":"r","bandwidth":10,"latency":1,"kind":"bidirectional"},
             {"name":"2","from":"r","to":"q","bandwidth":4,"latency":2,"kind":"backbone"}]})",
        "net");
    const auto fabric = make_fabric(network);
    EXPECT_EQ(fabric->nodes(), 2U);
    EXPECT_DOUBLE_EQ(fabric->cost(0, 1, Bytes(8)).gap.value, 2);
    EXPECT_DOUBLE_EQ(fabric->cost(0, 1, Bytes(8)).latency.value, 3.5);
    ASSERT_EQ(fabric->draws(0, 1).size(), 1U) << "the backbone is nobody's share";
    EXPECT_EQ(fabric->capacities()[fabric->draws(0, 1)[0]].name, "1");
}

}  // namespace
}  // namespace espalier::simulate
