// Collectives with a block per rank: trees against all trees of few ranks, plans on the grid of
// the examples, and bounds worked out by hand.

#include "core/infinity.hpp"
#include "core/random.hpp"
#include "network/grid_view.hpp"
#include "network/json.hpp"
#include "plan/algorithm.hpp"
#include "plan/collective_bound.hpp"
#include "plan/composed/block_tree.hpp"
#include "plan/site.hpp"
#include "schedule/validate.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/racing.hpp"
#include "support/random_grids.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace espalier::plan {
namespace {

using composed::Tree;
using network::GridView;
using schedule::Kind;
using schedule::Schedule;

Schedule scatter_down(const Tree& tree, const std::vector<std::uint64_t>& blocks,
                      std::uint64_t piece = 0) {
    const auto walk = composed::walk_over(tree);
    Schedule schedule;
    schedule.collective.kind = Kind::scatter;
    schedule.collective.nodes = blocks.size();
    schedule.collective.root = tree.root;
    schedule.nodes.resize(blocks.size());
    std::vector<Bytes> each;
    for (const std::uint64_t block : blocks) each.emplace_back(block);
    schedule.collective.bytes = *std::ranges::max_element(each);
    schedule.collective.blocks = std::make_shared<const std::vector<Bytes>>(each);
    for (const std::size_t rank : walk.order)
        schedule.chunks.push_back({each[rank], 1, std::nullopt, rank});
    composed::distribute(schedule, tree, walk, piece);
    return schedule;
}

/// Every tree over nodes from a root, with every order of children.
void for_all_trees(std::size_t nodes, std::size_t root,
                   const std::function<void(const Tree&)>& look) {
    std::vector<std::size_t> parent(nodes, 0);
    const auto orders = [&](auto&& self, Tree& tree, std::size_t node) -> void {
        if (node == nodes) return look(tree);
        auto& children = tree.children[node];
        std::ranges::sort(children);
        do self(self, tree, node + 1);
        while (std::next_permutation(children.begin(), children.end()));
    };
    const auto parents = [&](auto&& self, std::size_t node) -> void {
        if (node < nodes) {
            if (node == root) return self(self, node + 1);
            for (std::size_t p = 0; p < nodes; ++p)
                if (p != node) {
                    parent[node] = p;
                    self(self, node + 1);
                }
            return;
        }
        Tree tree(nodes, root);
        for (std::size_t v = 0; v < nodes; ++v)
            if (v != root) tree.add(parent[v], v);
        if (composed::walk_over(tree).order.size() == nodes) orders(orders, tree, 0);
    };
    parents(parents, 0);
}

struct SmallJob {
    explicit SmallJob(Random& random, std::size_t ranks)
        : grid(test::random_grid(random, {.shared = false})), view(grid), job{&view, {}} {
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            job.places.push_back(view.place_of(random.below(view.nodes())));
            blocks.push_back(random.below(3) == 0 ? 0 : 1 + random.below(1U << 20U));
        }
        root = random.below(ranks);
        fabric = simulate::make_rank_fabric(view, job.places);
    }
    network::GridNetwork grid;
    GridView view;
    Job job;
    std::vector<std::uint64_t> blocks;
    std::size_t root = 0;
    std::unique_ptr<const simulate::Fabric> fabric;
};

double time_of(const Schedule& schedule, const simulate::Fabric& fabric) {
    return simulate::simulate(schedule, fabric).makespan.value;
}

TEST(BlockTree, children_by_their_tails_are_the_best_order_of_every_tree) {
    Random random(5);
    for (int n = 0; n < 30; ++n) {
        const SmallJob small(random, 2 + random.below(3));
        const std::size_t ranks = small.blocks.size();
        // The least over all orders of the children of each tree, by its parents.
        std::map<std::vector<std::size_t>, double> least;
        for_all_trees(ranks, small.root, [&](const Tree& tree) {
            const double time = time_of(scatter_down(tree, small.blocks), *small.fabric);
            const auto found = least.try_emplace(tree.parent, time).first;
            found->second = std::min(found->second, time);
        });
        ASSERT_EQ(least.size(), ranks == 2 ? 1U : ranks == 3 ? 3U : 16U);
        for_all_trees(ranks, small.root, [&](const Tree& any) {
            Tree tree = any;
            const double said = composed::order_by_tails(tree, *small.fabric, small.blocks);
            const double time = time_of(scatter_down(tree, small.blocks), *small.fabric);
            ASSERT_NEAR(said, time, 1e-9 * time);
            ASSERT_NEAR(time, least.at(tree.parent), 1e-9 * time);
        });
    }
}

TEST(BlockTree, no_tree_beats_the_bound_and_moves_never_make_one_worse) {
    Random random(6);
    for (int n = 0; n < 60; ++n) {
        const SmallJob small(random, 2 + random.below(3));
        std::vector<std::size_t> all(small.blocks.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        double least = infinity;
        for_all_trees(small.blocks.size(), small.root, [&](const Tree& tree) {
            const auto schedule = scatter_down(tree, small.blocks);
            const double time = time_of(schedule, *small.fabric);
            least = std::min(least, time);
            EXPECT_LE(collective_bound(*small.fabric, schedule.collective, 1).value,
                      time * (1 + 1e-9));
        });
        for_all_trees(small.blocks.size(), small.root, [&](const Tree& tree) {
            Tree moved = tree;
            Meter meter(Limits{});
            composed::move_subtrees(moved, all, *small.fabric, small.blocks, meter);
            const double time = time_of(scatter_down(moved, small.blocks), *small.fabric);
            EXPECT_LE(time, time_of(scatter_down(tree, small.blocks), *small.fabric) * (1 + 1e-9));
            EXPECT_GE(time, least * (1 - 1e-9));
        });
    }
}

TEST(BlockTree, pieces_are_cut_between_blocks_and_add_up) {
    Tree tree(5, 2);
    tree.add(2, 0);
    tree.add(0, 1);
    tree.add(0, 3);
    tree.add(0, 4);
    const auto schedule = scatter_down(tree, {10, 10, 10, 5, 5}, 15);
    std::vector<std::size_t> to_0;
    for (const auto& transfer : schedule.transfers)
        if (transfer.to == 0) to_0.push_back(transfer.chunks);
    EXPECT_THAT(to_0, ::testing::ElementsAre(2, 2));
    EXPECT_FALSE(schedule::find_violation(schedule));
}

TEST(BlockTree, a_binomial_tree_has_subtrees_of_powers_of_two) {
    Tree tree(8, 0);
    composed::add_knomial(tree, {0, 1, 2, 3, 4, 5, 6, 7}, 2);
    EXPECT_THAT(tree.children[0], ::testing::ElementsAre(1, 2, 4));
    EXPECT_THAT(tree.children[4], ::testing::ElementsAre(5, 6));
    EXPECT_THAT(tree.children[6], ::testing::ElementsAre(7));
    Tree star(4, 0);
    composed::add_knomial(star, {0, 1, 2, 3}, 4);
    EXPECT_THAT(star.children[0], ::testing::ElementsAre(1, 2, 3));
}

/// The grid of the paper: 88 ranks in 6 clusters on three sites.
class Table4 : public ::testing::Test {
protected:
    Table4()
        : network_(network::read_network(std::string(ESPALIER_SOURCE_DIR) +
                                         "/examples/table4/network.json")),
          view_(*network_.grid()),
          job_(Job::everywhere(view_)) {}

    [[nodiscard]] schedule::Plan plan(Kind kind, std::uint64_t bytes,
                                      const std::string& algorithm) const {
        Request request;
        request.kind = kind;
        request.bytes = Bytes(bytes);
        request.algorithm = algorithm;
        return plan_best(job_, request);
    }
    [[nodiscard]] double time(Kind kind, std::uint64_t bytes, const std::string& algorithm) const {
        return plan(kind, bytes, algorithm).timeline.makespan.value;
    }

    network::Network network_;
    GridView view_;
    Job job_;
};

TEST_F(Table4, levels_beat_direct_paths_at_small_blocks) {
    for (const Kind kind : {Kind::scatter, Kind::gather, Kind::allgather, Kind::reduce_scatter})
        EXPECT_LT(time(kind, 8, "levels"), 0.9 * time(kind, 8, "direct")) << name_of(kind);
    for (const Kind kind : {Kind::allgather, Kind::reduce_scatter})
        EXPECT_LT(time(kind, 1024, "levels"), 0.2 * time(kind, 1024, "direct")) << name_of(kind);
    EXPECT_LT(time(Kind::alltoall, 8, "levels"), time(Kind::alltoall, 8, "caterpillar"));
}

TEST_F(Table4, helpers_share_what_one_port_cannot_carry) {
    for (const Kind kind : {Kind::scatter, Kind::gather}) {
        const auto plan_found = plan(kind, 1U << 20U, "helpers");
        EXPECT_LT(plan_found.timeline.makespan.value, 0.3 * time(kind, 1U << 20U, "direct"));
        EXPECT_LT(plan_found.timeline.makespan.value, 1.01 * plan_found.lower_bound.value);
    }
}

TEST_F(Table4, detours_empty_the_fullest_links) {
    EXPECT_LT(time(Kind::allgather, 65'536, "routes"),
              0.75 * time(Kind::allgather, 65'536, "ring"));
    EXPECT_LT(time(Kind::alltoall, 65'536, "levels"),
              0.75 * time(Kind::alltoall, 65'536, "caterpillar"));
}

TEST_F(Table4, bounds_are_what_links_between_sites_and_ports_need) {
    const auto fabric = simulate::make_rank_fabric(view_, job_.places);
    const auto bound = [&](Kind kind, std::uint64_t bytes) {
        schedule::Collective collective;
        collective.kind = kind;
        collective.nodes = job_.places.size();
        collective.bytes = Bytes(bytes);
        return collective_bound(*fabric, collective, 1).value;
    };
    // From c0 or c1 to c2 the way by c5 is the shorter one.
    EXPECT_NEAR(bound(Kind::scatter, 8), 5.21099e-3 + 5.38849e-3, 1e-5);
    // The root's port has 87 blocks to send, at 125 MB/s at best.
    EXPECT_NEAR(bound(Kind::scatter, 1U << 20U), 87 * 0.008388608, 1e-4);
    EXPECT_NEAR(bound(Kind::gather, 1U << 20U), 87 * 0.008388608, 1e-4);
    // Over five links of 12.5 MB/s go 68 blocks to c5, and 20 from it; the last on each link at its
    // own latency, together as if all were of the mean one.
    const double latency = (5210.99 + 5211.47 + 5388.49 + 5393.98 + 5394.1) / 5 * 1e-6;
    EXPECT_GT(bound(Kind::allgather, 65'536), latency + 88 * 65'536 / 62.5e6);
    EXPECT_NEAR(bound(Kind::reduce_scatter, 65'536), bound(Kind::allgather, 65'536), 1e-9);
    EXPECT_NEAR(bound(Kind::alltoall, 65'536), latency + 2 * 68 * 20 * 65'536 / 62.5e6, 1e-6);
}

}  // namespace
}  // namespace espalier::plan
