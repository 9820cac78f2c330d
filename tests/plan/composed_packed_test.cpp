#include "core/infinity.hpp"
#include "core/random.hpp"
#include "network/convert.hpp"
#include "plan/composed/flow_listing.hpp"
#include "plan/composed/packed.hpp"
#include "plan/composed/packing.hpp"
#include "plan/composed_case.hpp"
#include "schedule/validate.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/random_grids.hpp"
#include "support/random_jobs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace espalier::plan::composed {
namespace {

using network::GridNetwork;
using schedule::Kind;
using schedule::Schedule;

/// Nodes that are clusters of their own, each pair with a latency and a bandwidth of its own.
GridNetwork random_singles(Random& random, std::size_t nodes) {
    return to_grid_in_flight(test::random_pairwise(
        random, nodes, {.most_startup = 0.01, .least_bandwidth = 1e8, .most_bandwidth = 1e9}));
}

/// A ring of hosts, with a link for each direction.
GridNetwork ring_of(std::size_t hosts) {
    network::LinksNetwork network;
    for (std::size_t i = 0; i < hosts; ++i) network.nodes.push_back({"h" + std::to_string(i), 1.0});
    for (std::size_t i = 0; i < hosts; ++i)
        for (const auto& [from, to] :
             {std::pair(i, (i + 1) % hosts), std::pair((i + 1) % hosts, i)})
            network.links.push_back({std::to_string(from) + "-" + std::to_string(to),
                                     network::LinksNetwork::Ends{from, to}, BytesPerSecond(1e8),
                                     Seconds(1e-5), network::LinksNetwork::Kind::directed});
    return to_grid(network);
}

struct PackedCase : Case {
    PackedCase(const GridNetwork& grid, Kind kind, std::size_t ports) : Case(grid, kind) {
        request.algorithm = "packed";
        request.bytes = Bytes(8U << 20U);
        request.segmenting.mode = Segmenting::Mode::automatic;
        request.ports = ports;
    }
    [[nodiscard]] std::vector<Schedule> plan() const {
        Meter meter(limits);
        return packed(problem(), meter);
    }
    [[nodiscard]] double best() const {
        double least = infinity;
        for (const Schedule& schedule : plan())
            least = std::min(least, simulate::simulate(schedule, *fabric).makespan.value);
        return least;
    }

    Limits limits{Seconds(1000), 1'000'000};
};

/// Calls `use` for all ways to give every node but the root a parent that make a tree.
void for_each_tree(std::size_t nodes,
                   const std::function<void(const std::vector<std::size_t>&)>& use) {
    std::vector<std::size_t> parent(nodes, 0);
    const auto reaches_root = [&](std::size_t node) {
        for (std::size_t steps = 0; node != 0; node = parent[node])
            if (++steps > nodes) return false;
        return true;
    };
    while (true) {
        bool is_tree = true;
        for (std::size_t node = 1; node < nodes; ++node)
            is_tree = is_tree && parent[node] != node && reaches_root(node);
        if (is_tree) use(parent);
        std::size_t digit = 1;
        while (digit < nodes && ++parent[digit] == nodes) parent[digit++] = 0;
        if (digit == nodes) return;
    }
}

double estimate_of(const EdgeUses& uses, const std::vector<std::vector<std::size_t>>& trees) {
    Forest forest(uses, Forest::Directions::down);
    for (std::size_t t = 0; t < trees.size(); ++t) {
        forest.add(0, 16);
        for (std::size_t node = 1; node < trees[t].size(); ++node)
            forest.move(t, node, trees[t][node]);
    }
    return forest.estimate();
}

TEST(ComposedPacked, finds_the_best_one_or_two_trees_of_few_nodes) {
    Random random(7);
    constexpr std::size_t nodes = 4;
    for (int round = 0; round < 8; ++round) {
        const GridNetwork grid = random_singles(random, nodes);
        const PackedCase given(grid, Kind::broadcast, 1);
        const EdgeUses uses(*given.fabric, Bytes(1U << 20U), 1);
        std::vector<std::vector<std::size_t>> all;
        for_each_tree(nodes, [&](const auto& tree) { all.push_back(tree); });
        ASSERT_EQ(all.size(), 16U);  // Cayley
        std::vector<double> least(2, infinity);
        for (const auto& first : all) {
            least[0] = std::min(least[0], estimate_of(uses, {first}));
            for (const auto& second : all)
                least[1] = std::min(least[1], estimate_of(uses, {first, second}));
        }
        for (const std::size_t trees : {1U, 2U}) {
            Forest forest(uses, Forest::Directions::down);
            Meter meter({Seconds(1000), 1'000'000});
            for (std::size_t t = 0; t < trees; ++t) {
                forest.add(0, 16);
                ASSERT_TRUE(grow(forest, t, meter));
            }
            Random search(1);
            improve(forest, search, meter);
            EXPECT_GE(forest.estimate(), least[trees - 1] * (1 - 1e-9));
            EXPECT_LE(forest.estimate(), least[trees - 1] * 1.02) << trees << " trees";
        }
    }
}

TEST(ComposedPacked, takes_back_what_it_tried) {
    Random random(11);
    const GridNetwork grid = random_singles(random, 9);
    const PackedCase given(grid, Kind::allreduce, 1);
    const EdgeUses uses(*given.fabric, Bytes(1U << 16U), 1);
    Forest forest(uses, Forest::Directions::both);
    forest.add(3, 8);
    Meter meter({Seconds(1000)});
    ASSERT_TRUE(grow(forest, 0, meter));
    ASSERT_TRUE(grow(forest, 1, meter));
    forest.recount();
    const double before = forest.estimate();
    const double crowding = forest.crowding();
    forest.move(0, 5, forest.root(0));
    forest.move_root(1, 7);
    EXPECT_EQ(forest.root(1), 7U);
    EXPECT_NE(forest.estimate(), before);
    forest.take_back();
    EXPECT_EQ(forest.root(1), 3U);
    EXPECT_DOUBLE_EQ(forest.estimate(), before);
    EXPECT_NEAR(forest.crowding(), crowding, 1e-9 * crowding);
}

TEST(ComposedPacked, is_valid_for_any_job_and_the_same_each_time) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Random random(seed);
        const GridNetwork grid = test::random_grid(random, {.nested = seed % 2 == 0});
        for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce, Kind::allgather,
                                Kind::reduce_scatter}) {
            PackedCase given(grid, kind, seed % 3 == 0 ? 5 : 1);
            given.job = test::random_job(random, given.view);
            given.site = site_of(given.job);
            given.fabric = simulate::make_rank_fabric(given.view, given.job.places);
            given.limits.work = 100'000;
            if (schedule::has_root(kind))
                given.request.root = random.below(given.job.places.size());
            if (schedule::has_blocks(kind) && seed % 4 < 2) {
                std::vector<Bytes> blocks;
                for (std::size_t rank = 0; rank < given.job.places.size(); ++rank)
                    blocks.emplace_back(random.below(4) == 0 ? 0 : random.below(300'000));
                given.request.bytes = std::ranges::max(blocks);
                given.request.blocks = std::make_shared<const std::vector<Bytes>>(blocks);
            }
            const auto found = given.plan();
            EXPECT_EQ(found.empty(), given.job.places.size() < 2);
            for (const Schedule& schedule : found) {
                EXPECT_EQ(schedule::find_violation(schedule), std::nullopt);
                EXPECT_GT(simulate::simulate(schedule, *given.fabric).makespan.value, 0);
            }
            const auto again = given.plan();
            ASSERT_EQ(again.size(), found.size());
            for (std::size_t i = 0; i < found.size(); ++i)
                EXPECT_EQ(simulate::simulate(again[i], *given.fabric).makespan,
                          simulate::simulate(found[i], *given.fabric).makespan);
        }
    }
}

TEST(ComposedPacked, uses_both_ways_round_a_ring) {
    const GridNetwork grid = ring_of(8);
    // Along one chain all bytes cross each link; along two, half of them do.
    const double whole = 8.0 * (1 << 20) / 1e8;
    const double one_tree = whole;
    for (const Kind kind : {Kind::broadcast, Kind::reduce}) {
        PackedCase given(grid, kind, 4);
        given.limits.work = 40'000'000;
        const double time = given.best();
        EXPECT_GE(time, one_tree / 2);
        EXPECT_LE(time, one_tree * 0.6) << name_of(kind);
    }
    EXPECT_GE(PackedCase(grid, Kind::broadcast, 1).best(), one_tree);
}

TEST(ComposedPacked, blocks_go_both_ways_round_a_ring) {
    const GridNetwork grid = ring_of(8);
    for (const Kind kind : {Kind::allgather, Kind::reduce_scatter}) {
        PackedCase given(grid, kind, 4);
        given.request.bytes = Bytes(1U << 20U);
        given.limits.work = 40'000'000;
        // Seven blocks enter each host, over two links.
        const double least = 7 * (1 << 20) / 1e8 / 2;
        const double time = given.best();
        EXPECT_GE(time, least);
        EXPECT_LE(time, least * 1.1) << name_of(kind);
    }
}

TEST(ComposedPacked, of_blocks_relays_nothing_that_has_to_go_direct) {
    const GridNetwork grid = ring_of(4);
    PackedCase given(grid, Kind::allgather, 4);
    given.request.direct = true;
    EXPECT_TRUE(given.plan().empty());
}

/// All pairs of hosts, each over a link that both directions share.
GridNetwork complete_graph(std::size_t hosts) {
    network::LinksNetwork network;
    for (std::size_t i = 0; i < hosts; ++i) network.nodes.push_back({"h" + std::to_string(i), 1.0});
    for (std::size_t a = 0; a < hosts; ++a)
        for (std::size_t b = a + 1; b < hosts; ++b)
            network.links.push_back({std::to_string(a) + "-" + std::to_string(b),
                                     network::LinksNetwork::Ends{a, b}, BytesPerSecond(1e8),
                                     Seconds(1e-5), network::LinksNetwork::Kind::bidirectional});
    return to_grid(network);
}

TEST(ComposedPacked, leaves_no_link_idle_that_both_directions_share) {
    // Six links for trees of three; ten for trees of four.
    for (const auto& [hosts, trees] : {std::pair(4U, 2.0), std::pair(5U, 2.5)}) {
        const GridNetwork grid = complete_graph(hosts);
        PackedCase given(grid, Kind::broadcast, 4);
        given.limits.work = 40'000'000;
        const double least = 8.0 * (1 << 20) / 1e8 / trees;
        const double time = given.best();
        EXPECT_GE(time, least);
        EXPECT_LE(time, least * 1.1);
    }
}

TEST(ComposedPacked, deep_trees_are_done_with_shallow_ones) {
    const GridNetwork grid = ring_of(6);
    const PackedCase given(grid, Kind::broadcast, 2);
    const EdgeUses uses(*given.fabric, Bytes(1000), 2);
    // Along the ring, and by both ways from the root: 4 of 8 segments each on the first link.
    Forest forest(uses, Forest::Directions::down, Forest::Pace::by_depth);
    forest.add(0, 4);
    forest.add(0, 4);
    for (std::size_t node = 1; node < 6; ++node) forest.move(0, node, node - 1);
    for (std::size_t node = 1; node < 4; ++node) forest.move(1, node, node - 1);
    forest.move(1, 5, 0);
    forest.move(1, 4, 5);
    const double hop = 1e-5 + 1e-5;  // on a link, and in flight
    const double estimate = forest.estimate();
    EXPECT_NEAR(estimate, 8 * 1e-5 + (forest.depth(0) + forest.depth(1)) / 2, 1e-9);
    EXPECT_NEAR(forest.depth(0), 5 * hop, 1e-9);
    // The root sends two messages of a segment: a child waits for half of what the other is sent.
    EXPECT_NEAR(forest.depth(1), 3 * hop + 0.5e-5, 1e-9);
}

TEST(ComposedPacked, balances_trees_one_after_the_other) {
    const GridNetwork grid = complete_graph(6);
    const PackedCase given(grid, Kind::broadcast, 5);
    const EdgeUses uses(*given.fabric, Bytes(1U << 16U), 5);
    Forest forest(uses, Forest::Directions::down, Forest::Pace::by_depth);
    Meter meter({Seconds(1000), 1'000'000'000});
    for (std::size_t t = 0; t < 3; ++t) {
        forest.add(0, 8);
        ASSERT_TRUE(grow(forest, t, meter));
    }
    const double before = forest.estimate();
    balance(forest, meter);
    EXPECT_LE(forest.estimate(), before);
    // Three trees of five links each on fifteen links: once each.
    EXPECT_NEAR(forest.busiest_load(), 8 * (1U << 16U) / 1e8, 1e-9);
    for (std::size_t t = 0; t < 3; ++t)
        for (std::size_t node = 1; node < 6; ++node) EXPECT_TRUE(forest.is_below(t, node, 0));
}

TEST(ComposedPacked, lists_what_flows_as_it_is_simulated) {
    const GridNetwork grid = ring_of(5);
    PackedCase given(grid, Kind::broadcast, 3);
    given.request.bytes = Bytes(2'000'000);
    Schedule schedule = empty_schedule(given.problem());
    Tree there(5, 0);
    Tree back(5, 0);
    for (std::size_t i = 1; i < 5; ++i) {
        there.add(i - 1, i);
        back.add(i == 1 ? 0 : 6 - i, 5 - i);
    }
    for (std::size_t s = 0; s < 20; ++s) {
        schedule.chunks.push_back({.bytes = Bytes(100'000)});
        spread(schedule, s % 2 == 0 ? there : back, s);
    }
    list_as_they_flow(schedule, *given.fabric);
    schedule.reception.mode = schedule::Reception::Mode::interleaved;
    EXPECT_EQ(schedule::find_violation(schedule), std::nullopt);
    const auto timeline = simulate::simulate(schedule, *given.fabric);
    for (std::size_t t = 1; t < schedule.transfers.size(); ++t)
        EXPECT_LE(timeline.transfers[t - 1].start.value, timeline.transfers[t].start.value + 1e-12);
    // Ten segments each way, at 1 ms a link, three more links for the last; where three are under
    // way at once, two share a link. One way alone they take 23 ms.
    EXPECT_LT(timeline.makespan.value, 0.0165);
}

}  // namespace
}  // namespace espalier::plan::composed
