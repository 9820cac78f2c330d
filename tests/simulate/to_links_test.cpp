#include "network/to_links.hpp"
#include "core/error.hpp"
#include "network/convert.hpp"
#include "network/grid_view.hpp"
#include "network/json.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

namespace espalier::simulate {
namespace {

using network::CostTable;
using network::GridNetwork;
using network::LinksNetwork;
using network::PLogP;
using ::testing::ElementsAre;

constexpr std::uint64_t bytes = 60;
using Message = std::pair<std::size_t, std::size_t>;

/// Each message is the same chunk, which its sender holds from the start.
double makespan(const Fabric& fabric, const std::vector<Message>& messages) {
    schedule::Schedule schedule = test::hand_made(schedule::Kind::alltoall, fabric.nodes(), bytes);
    schedule.chunks.clear();
    for (const auto& [from, to] : messages) {
        schedule::Chunk chunk = test::chunk_of(bytes);
        chunk.source = from;
        chunk.target = to;
        schedule.chunks.push_back(chunk);
        test::add_copy(schedule, from, to, schedule.chunks.size() - 1);
    }
    return simulate(schedule, fabric).makespan.value;
}

/// All as hosts.
network::Network as_links(LinksNetwork links) {
    for (auto& node : links.nodes)
        if (!node.cycle_time) node.cycle_time = 1;
    return network::Network(std::move(links));
}

/// A site of two clusters, one of two nodes and one of one, that share its uplink, and a far node.
GridNetwork uneven() {
    GridNetwork grid;
    network::Cluster near{.name = "near", .nodes = {"n0", "n1"}, .size = 2, .cycle_times = {}};
    near.inside = network::Cluster::Local{{CostTable(Seconds(1)), CostTable(Seconds(2))}};
    const network::Cluster next{.name = "next", .nodes = {"x"}, .size = 1, .cycle_times = {7}};
    const network::Cluster far{.name = "far", .nodes = {"f"}, .size = 1, .cycle_times = {}};
    grid.clusters = {near, next, far};
    grid.links = {3, 3};
    const auto link = [&](std::size_t from, std::size_t to, double latency, double gap) {
        grid.links(from, to) =
            PLogP{CostTable(Seconds(latency)),
                  CostTable({{Bytes(0), Seconds(0)}, {Bytes(bytes), Seconds(gap)}})};
    };
    link(0, 1, 3, 4);
    link(1, 0, 3, 5);
    link(0, 2, 10, 20);
    link(2, 0, 11, 21);
    link(1, 2, 12, 15);
    link(2, 1, 13, 30);
    grid.shared = {{"uplink", BytesPerSecond(5), {{0, 2}, {1, 2}}}};
    grid.unstated = network::Unstated::separate;
    return grid;
}

TEST(ToLinks, messages_on_a_grid_take_as_long_on_its_links) {
    const GridNetwork grid = uneven();
    const network::GridView view(grid);
    std::vector<network::GridView::Place> places;
    for (std::size_t node = 0; node < view.nodes(); ++node) places.push_back(view.place_of(node));
    const auto on_grid = make_rank_fabric(view, places);
    const network::Network links = as_links(to_links(grid, Bytes(bytes)));
    const auto on_links = make_fabric(links);
    ASSERT_EQ(on_links->nodes(), 4U);
    std::vector<Message> pairs;
    for (std::size_t from = 0; from < 4; ++from)
        for (std::size_t to = 0; to < 4; ++to)
            if (from != to) pairs.emplace_back(from, to);
    const auto both = [&](const std::vector<Message>& messages) {
        return std::pair(makespan(*on_links, messages), makespan(*on_grid, messages));
    };
    for (const auto& one : pairs) {
        const auto [alone, expected] = both({one});
        EXPECT_NEAR(alone, expected, 1e-9) << one.first << one.second;
        for (const auto& other : pairs) {
            if (one == other) continue;
            SCOPED_TRACE(::testing::Message()
                         << one.first << one.second << other.first << other.second);
            const auto [got, on_ports] = both({one, other});
            // What a receiver takes in is shared from the first byte sent on, not from the first
            // byte received on.
            if (one.second == other.second)
                EXPECT_GE(got, on_ports - 1e-9);
            else
                EXPECT_NEAR(got, on_ports, 1e-9);
        }
    }
    EXPECT_DOUBLE_EQ(makespan(*on_links, {{0, 1}}), 3) << "L + g inside a cluster";
    EXPECT_DOUBLE_EQ(makespan(*on_links, {{0, 3}}), 30) << "L + g";
}

TEST(ToLinks, routes_of_a_grid_cross_ports_shared_capacities_and_a_backbone_of_the_pair) {
    const LinksNetwork links = to_links(uneven(), Bytes(bytes));
    EXPECT_EQ(links.routes.size(), 12U);
    EXPECT_FALSE(links.nodes[0].cycle_time);
    EXPECT_EQ(links.nodes[2].cycle_time, 7);
    const auto names = [&](std::size_t route) {
        std::vector<std::string> found;
        for (const std::size_t id : links.routes[route].links)
            found.push_back(links.links[id].name);
        return found;
    };
    EXPECT_THAT(names(0), ElementsAre("n0 send", "near", "n1 receive"));
    EXPECT_THAT(names(2), ElementsAre("n0 send", "uplink", "near -> far", "f receive"));
    const auto rate = [&](const std::string& name) {
        for (const auto& link : links.links)
            if (link.name == name) return link.bandwidth.value;
        return 0.0;
    };
    EXPECT_DOUBLE_EQ(rate("n0 send"), 30) << "inside its cluster";
    EXPECT_DOUBLE_EQ(rate("x send"), 12) << "to near";
    EXPECT_DOUBLE_EQ(rate("x receive"), 15) << "from near";
    EXPECT_DOUBLE_EQ(rate("f receive"), 4);
    EXPECT_DOUBLE_EQ(rate("far -> next"), 2);
    EXPECT_NO_THROW(network::Network{links}) << "routers that routes join";
}

TEST(ToLinks, a_complete_graph_says_what_its_pairs_say) {
    network::PairwiseNetwork pairwise = *test::uniform_pairwise(3, 2, 10).pairwise();
    pairwise.bandwidth(0, 2) = BytesPerSecond(4);
    pairwise.cycle_times = {1, 2, 3};
    const LinksNetwork plain = to_links(pairwise);
    EXPECT_EQ(plain.links.size(), 6U);
    for (const auto& route : plain.routes) {
        ASSERT_THAT(route.links.size(), 1U);
        EXPECT_EQ(plain.links[route.links[0]].ends->from, route.from);
        EXPECT_EQ(plain.links[route.links[0]].ends->to, route.to);
    }
    const network::PairwiseNetwork same = to_pairwise(plain);
    EXPECT_EQ(same.cycle_times, pairwise.cycle_times);
    EXPECT_EQ(same.bandwidth(0, 2), BytesPerSecond(4));
    EXPECT_EQ(same.startup(2, 1), Seconds(2));

    pairwise.egress = {BytesPerSecond(3), BytesPerSecond(20), BytesPerSecond(20)};
    pairwise.ingress = {BytesPerSecond(20), BytesPerSecond(20), BytesPerSecond(5)};
    const network::Network capped(to_links(pairwise));
    EXPECT_EQ(capped.links()->links.size(), 12U);
    const network::Network direct(pairwise);
    const auto on_links = make_fabric(capped);
    const auto on_pairs = make_fabric(direct);
    for (const std::vector<Message>& messages :
         {std::vector<Message>{{0, 1}}, {{1, 2}}, {{0, 2}}, {{1, 0}}, {{1, 2}, {0, 1}}})
        EXPECT_NEAR(makespan(*on_links, messages), makespan(*on_pairs, messages), 1e-9);
    EXPECT_DOUBLE_EQ(makespan(*on_links, {{0, 1}}), 22) << "capped by its sender";
}

TEST(ToLinks, names_that_would_meet_stay_apart) {
    network::PairwiseNetwork pairwise = *test::uniform_pairwise(3, 1, 1).pairwise();
    pairwise.nodes = {"a", "b -> c", "a -> b"};
    EXPECT_NO_THROW(network::Network{to_links(pairwise)});
}

TEST(ToLinks, a_pair_of_unknown_cost_is_named) {
    network::PairwiseNetwork pairwise = *test::uniform_pairwise(2, 1, 1).pairwise();
    pairwise.bandwidth(1, 0).reset();
    const auto fault = [](const auto& action) -> std::string {
        try {
            (void)action();
        } catch (const InputError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_EQ(fault([&] { return to_links(pairwise); }), "the cost from 'b' to 'a' is not known");
    GridNetwork grid = uneven();
    grid.clusters[0].inside = network::Cluster::KnownBroadcast{Seconds(1)};
    EXPECT_EQ(fault([&] { return to_links(grid, Bytes(1)); }),
              "the cost from 'n0' to 'n1' is not known");
    grid = uneven();
    grid.links(2, 0).reset();
    EXPECT_EQ(fault([&] { return to_links(grid, Bytes(1)); }),
              "the cost from 'f' to 'n0' is not known");
}

}  // namespace
}  // namespace espalier::simulate
