#include "schedule/json.hpp"
#include "support/racing.hpp"

#include "core/error.hpp"
#include "core/random.hpp"
#include "network/json.hpp"
#include "plan/algorithm.hpp"
#include "plan/composed/pieces.hpp"
#include "schedule/validate.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/final_values.hpp"
#include "support/three_sites.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace espalier::plan {
namespace {

using composed::Tree;
using network::GridNetwork;
using network::GridView;
using schedule::Kind;
using schedule::Plan;
using schedule::Schedule;
using ::testing::HasSubstr;

network::Network table4() {
    return network::read_network(std::string(ESPALIER_SOURCE_DIR) +
                                 "/examples/table4/network.json");
}

/// Clusters of one node each; latencies by themselves in either direction, messages that cost
/// nothing but those.
GridNetwork far_apart(Random& random, std::size_t nodes) {
    GridNetwork grid;
    grid.links = {nodes, nodes};
    for (std::size_t i = 0; i < nodes; ++i) {
        grid.clusters.emplace_back();
        grid.clusters.back().name = "n" + std::to_string(i);
        for (std::size_t j = 0; j < nodes; ++j)
            if (i != j)
                grid.links(i, j) =
                    network::PLogP{network::CostTable(Seconds(random.uniform(0.1, 1))),
                                   network::CostTable(Seconds(0))};
    }
    return grid;
}

/// All trees over the nodes with this root.
void for_each_tree(std::size_t nodes, std::size_t root,
                   const std::function<void(const Tree&)>& use) {
    std::vector<std::size_t> parent(nodes, root);
    const std::function<void(std::size_t)> choose = [&](std::size_t node) {
        if (node == nodes) {
            Tree tree(nodes, root);
            for (std::size_t child = 0; child < nodes; ++child)
                if (child != root) tree.add(parent[child], child);
            if (tree.order().size() == nodes) use(tree);
            return;
        }
        for (std::size_t above = 0; above < nodes; ++above) {
            if (node != root && above == node) continue;
            parent[node] = above;
            choose(node + 1);
            if (node == root) break;
        }
    };
    choose(0);
}

TEST(CollectivePlan, of_a_barrier_has_the_best_centre_and_trees_of_all_where_messages_only_travel) {
    Random random(71);
    for (int n = 0; n < 12; ++n) {
        const GridNetwork grid = far_apart(random, 2 + random.below(3));
        const GridView view(grid);
        const Job job = Job::everywhere(view);
        const auto fabric = simulate::make_rank_fabric(view, job.places);
        const std::size_t nodes = job.places.size();
        double least = 1e9;
        for (std::size_t centre = 0; centre < nodes; ++centre) {
            double up = 1e9;
            double down = 1e9;
            for_each_tree(nodes, centre, [&](const Tree& tree) {
                Schedule schedule;
                schedule.nodes.resize(nodes);
                schedule.collective = {Kind::reduce, nodes, centre, Bytes(0)};
                schedule.chunks.emplace_back();
                Schedule back = schedule;
                combine(schedule, tree, 0);
                spread(back, tree, 0);
                up = std::min(up, simulate::simulate(schedule, *fabric).makespan.value);
                down = std::min(down, simulate::simulate(back, *fabric).makespan.value);
            });
            least = std::min(least, up + down);
        }
        Request request;
        request.kind = Kind::barrier;
        const Plan best = plan_best(job, request);
        EXPECT_LE(best.timeline.makespan.value, least + 1e-9);
        EXPECT_LE(best.lower_bound.value, best.timeline.makespan.value);
        request.algorithm = "centre";
        EXPECT_NEAR(plan_best(job, request).timeline.makespan.value, least, 1e-9)
            << nodes << " nodes";
    }
}

TEST(CollectivePlan, of_an_all_reduce_beats_a_reduction_to_rank_0_and_a_broadcast_from_there) {
    const network::Network network = table4();
    const GridView view(*network.grid());
    const Job job = Job::everywhere(view);
    for (const std::uint64_t bytes : {std::uint64_t{8}, std::uint64_t{65536}}) {
        const auto time = [&](Kind kind) {
            Request request;
            request.kind = kind;
            request.bytes = Bytes(bytes);
            return plan_best(job, request).timeline.makespan.value;
        };
        const double all = time(Kind::allreduce);
        EXPECT_LT(all, 0.8 * (time(Kind::reduce) + time(Kind::broadcast)));
        EXPECT_GT(all, std::max(time(Kind::reduce), time(Kind::broadcast)));
    }
}

TEST(CollectivePlan, of_long_messages_uses_several_paths_between_clusters) {
    const network::Network network = table4();
    const GridView view(*network.grid());
    const Job job = Job::everywhere(view);
    Request request;
    request.bytes = Bytes(1 << 18);
    const Plan best = plan_best(job, request);
    request.algorithm = "pipeline";
    const Plan one_tree = plan_best(job, request);
    EXPECT_LT(best.timeline.makespan.value, 0.75 * one_tree.timeline.makespan.value);
}

TEST(CollectivePlan, among_few_ranks_packs_trees_of_messages_that_take_not_so_long) {
    const GridNetwork grid = test::three_sites(8, {1000, 1000, 1000});
    const GridView view(grid);
    const Job job = Job::everywhere(view);
    Request request;
    request.kind = Kind::reduce;
    request.bytes = Bytes(1 << 16);
    request.segmenting.mode = Segmenting::Mode::automatic;
    const Plan best = plan_best(job, request);
    EXPECT_EQ(best.schedule.algorithm, "packed");
    EXPECT_LT(best.timeline.makespan.value, 2.02 * best.lower_bound.value);
    request.algorithm = "striped";
    const Plan striped = plan_best(job, request);
    EXPECT_LE(best.timeline.makespan.value, striped.timeline.makespan.value);
}

TEST(CollectivePlan, of_an_all_reduce_among_like_ranks_is_near_its_bound) {
    GridNetwork grid;
    grid.links = {1, 1};
    grid.clusters.emplace_back().name = "c";
    grid.clusters[0].size = 16;
    grid.clusters[0].inside = network::Cluster::Local{
        {network::CostTable(Seconds(1e-5)),
         network::CostTable({{Bytes(0), Seconds(0)}, {Bytes(1 << 20), Seconds(0.01)}})}};
    const GridView view(grid);
    Request request;
    request.kind = Kind::allreduce;
    request.bytes = Bytes(1 << 20);
    const Plan plan = plan_best(Job::everywhere(view), request);
    // All ports together have to pass on 30 messages.
    EXPECT_GT(plan.lower_bound.value, 30 * 0.01 / 16);
    EXPECT_LT(plan.lower_bound.value, plan.timeline.makespan.value);
    EXPECT_LT(plan.timeline.makespan.value, 1.15 * plan.lower_bound.value);
}

TEST(CollectivePlan, of_a_scan_crosses_between_clusters_once_where_ranks_are_in_their_order) {
    const network::Network network = table4();
    const GridView view(*network.grid());
    const Job job = Job::everywhere(view);
    Request request;
    request.kind = Kind::scan;
    request.bytes = Bytes(8);
    const Plan plan = plan_best(job, request);
    EXPECT_EQ(plan.schedule.algorithm, "scan-levels");
    // The longest latency there is, and three rounds of local ones.
    EXPECT_LT(plan.timeline.makespan.value, 0.01219803 + 1e-3);
    EXPECT_EQ(schedule::find_violation(plan.schedule), std::nullopt);
}

TEST(CollectivePlan, of_a_short_scan_crosses_between_clusters_once_in_any_order_of_ranks) {
    const network::Network network = table4();
    const GridView view(*network.grid());
    Job job = Job::everywhere(view);
    Random random(11);
    for (std::size_t left = job.places.size(); left > 1; --left)
        std::swap(job.places[left - 1], job.places[random.below(left)]);
    Request request;
    request.kind = Kind::exscan;
    request.bytes = Bytes(8);
    const Plan plan = plan_best(job, request);
    EXPECT_EQ(plan.schedule.algorithm, "scan-straight");
    // The longest latency there is, and each rank's messages, one after the other.
    const double gaps = 2 * 88 * 1.5e-5;
    EXPECT_LT(plan.timeline.makespan.value, 0.01219803 + gaps);
    EXPECT_EQ(schedule::find_violation(plan.schedule), std::nullopt);
}

TEST(CollectivePlan, of_one_rank_has_nothing_to_do) {
    Random random(72);
    const GridNetwork grid = far_apart(random, 1);
    const GridView view(grid);
    for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce, Kind::barrier,
                            Kind::scan, Kind::exscan, Kind::allgather, Kind::alltoall}) {
        SCOPED_TRACE(name_of(kind));
        Request request;
        request.kind = kind;
        if (kind != Kind::barrier) request.bytes = Bytes(100);
        const Plan plan = plan_best(Job::everywhere(view), request);
        EXPECT_THAT(plan.schedule.transfers, ::testing::IsEmpty());
        EXPECT_EQ(plan.timeline.makespan, Seconds(0));
        EXPECT_TRUE(plan.optimal);
        EXPECT_EQ(schedule::find_violation(plan.schedule), std::nullopt);
    }
}

TEST(CollectivePlan, keeps_to_the_order_of_ranks_however_they_lie) {
    const network::Network network = table4();
    const GridView view(*network.grid());
    Job job = Job::everywhere(view);
    for (std::size_t i = 0; i + 1 < job.places.size(); i += 2)
        std::swap(job.places[i], job.places[job.places.size() - 1 - i]);
    for (const Kind kind : {Kind::reduce, Kind::allreduce}) {
        Request request;
        request.kind = kind;
        request.root = 5;
        request.bytes = Bytes(4096);
        request.ordered = true;
        const Plan plan = plan_best(job, request);
        EXPECT_TRUE(plan.schedule.collective.ordered);
        EXPECT_EQ(schedule::find_violation(plan.schedule), std::nullopt);
    }
}

std::string refusal(const Request& request) {
    const network::Network network = table4();
    const GridView view(*network.grid());
    try {
        (void)plan_best(Job::everywhere(view), request);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

/// A root that receives 10 MB/s in all, and eight nodes that send to it at 1 MB/s each.
GridNetwork slow_links_to_a_fast_root(bool states_caps) {
    GridNetwork grid;
    grid.clusters.resize(9);
    grid.links = {9, 9};
    for (std::size_t i = 0; i < 9; ++i) {
        grid.clusters[i].name = "n" + std::to_string(i);
        if (states_caps) grid.clusters[i].egress = grid.clusters[i].ingress = BytesPerSecond(10e6);
        for (std::size_t j = 0; j < 9; ++j)
            if (i != j)
                grid.links(i, j) =
                    network::PLogP{network::CostTable(Seconds(1e-3)),
                                   network::CostTable({{Bytes(0), Seconds(1e-5)},
                                                       {Bytes(1'000'000), Seconds(1)}})};
    }
    return grid;
}

TEST(CollectivePlan, has_several_messages_under_way_where_nodes_state_what_they_send_in_all) {
    Request request;
    request.kind = Kind::gather;
    request.bytes = Bytes(1'000'000);
    request.ports = std::nullopt;
    const GridNetwork plain = slow_links_to_a_fast_root(false);
    const GridView plain_view(plain);
    const Plan in_turn = plan_best(Job::everywhere(plain_view), request);
    EXPECT_EQ(in_turn.schedule.ports.count, 1U);
    EXPECT_GT(in_turn.timeline.makespan.value, 8);
    const GridNetwork grid = slow_links_to_a_fast_root(true);
    const GridView view(grid);
    const Job job = Job::everywhere(view);
    const Plan at_once = plan_best(job, request);
    EXPECT_GT(at_once.schedule.ports.count, 1U);
    EXPECT_LT(at_once.timeline.makespan.value, 3);
    const auto fabric = simulate::make_rank_fabric(view, job.places);
    EXPECT_EQ(simulate::simulate(at_once.schedule, *fabric).makespan, at_once.timeline.makespan);
    EXPECT_FALSE(schedule::find_violation(at_once.schedule).has_value());
}

TEST(CollectivePlan, has_others_beside_it_that_take_little_longer) {
    const network::Network network = table4();
    const GridView view(*network.grid());
    const Job job = Job::everywhere(view);
    const auto fabric = simulate::make_rank_fabric(view, job.places);
    for (const Kind kind : {Kind::broadcast, Kind::scatter, Kind::barrier}) {
        Request request;
        request.kind = kind;
        request.bytes = Bytes(kind == Kind::barrier ? 0 : 4096);
        const Race found = race(job, request);
        const Ranked& best = found.best();
        EXPECT_EQ(found.considered.front().outcome, "the plan");
        std::set<std::string> names;
        for (const Ranked& ranked : found.ranked) {
            EXPECT_TRUE(names.insert(ranked.plan.schedule.algorithm).second);
            EXPECT_GE(ranked.time, best.time);
            EXPECT_LE(ranked.time.value, best.time.value * (1 + network::presumed_uncertainty));
            EXPECT_EQ(simulate::simulate(ranked.plan.schedule, *fabric).makespan,
                      ranked.plan.timeline.makespan);
            EXPECT_FALSE(schedule::find_violation(ranked.plan.schedule).has_value());
        }
    }
}

TEST(CollectivePlan, is_the_same_however_often_it_is_asked_for) {
    const network::Network network = table4();
    const GridView view(*network.grid());
    const Job job = Job::everywhere(view);
    for (const Kind kind : {Kind::broadcast, Kind::allreduce, Kind::allgather}) {
        Request request;
        request.kind = kind;
        request.bytes = Bytes(65536);
        EXPECT_EQ(to_json_text(plan_best(job, request)), to_json_text(plan_best(job, request)));
    }
}

TEST(CollectivePlan, is_there_on_a_budget_of_nothing) {
    const network::Network network = table4();
    const GridView view(*network.grid());
    const Job job = Job::everywhere(view);
    for (const Kind kind :
         {Kind::broadcast, Kind::reduce, Kind::allreduce, Kind::barrier, Kind::scan, Kind::scatter,
          Kind::gather, Kind::allgather, Kind::reduce_scatter, Kind::alltoall}) {
        SCOPED_TRACE(name_of(kind));
        Request request;
        request.kind = kind;
        if (kind != Kind::barrier) request.bytes = Bytes(100'000);
        for (const Limits& nothing : {Limits{Seconds(0), 0}, Limits{Seconds(1e8), 0}}) {
            const Race found = race(job, request, nothing);
            EXPECT_FALSE(schedule::find_violation(found.best().plan.schedule).has_value());
        }
    }
}

TEST(CollectivePlan, refuses_what_makes_no_sense_in_one_line) {
    Request request;
    request.root = 88;
    EXPECT_THAT(refusal(request), HasSubstr("root: no rank has this number"));
    request = {};
    request.ports = 0;
    EXPECT_THAT(refusal(request), HasSubstr("ports: "));
    request = {};
    request.algorithm = "scan-chain";
    EXPECT_EQ(refusal(request), "algorithm: no broadcast algorithm is named 'scan-chain'");
    request.algorithm = "striped";
    request.kind = Kind::reduce;
    request.ordered = true;
    request.bytes = Bytes(4096);
    EXPECT_EQ(refusal(request),
              "algorithm: 'striped' plans no reduce whose operator needs the order of ranks");
    request = {};
    request.kind = Kind::barrier;
    request.bytes = Bytes(1);
    EXPECT_EQ(refusal(request), "bytes: a barrier has none");
    request = {};
    request.kind = Kind::gather;
    request.blocks = std::make_shared<const std::vector<Bytes>>(3, Bytes(1));
    EXPECT_EQ(refusal(request), "blocks: 3 for 88 ranks");
}

}  // namespace
}  // namespace espalier::plan
