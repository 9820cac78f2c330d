#include "plan/check_plan.hpp"

#include "core/error.hpp"
#include "network/grid_view.hpp"
#include "plan/job.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/renumbered.hpp"
#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

namespace espalier::plan {
namespace {

using espalier::test::add_combine;
using espalier::test::add_copy;
using espalier::test::hand_made;
using network::Cluster;
using network::CostTable;
using network::PLogP;
using schedule::Kind;
using schedule::LocalPart;
using schedule::StatedPlan;
using ::testing::AllOf;
using ::testing::HasSubstr;

PLogP link(double latency, double gap) {
    return {CostTable(Seconds(latency)), CostTable(Seconds(gap))};
}

/// a of one node, b of four (L = 1, g = 2), c of three whose broadcast takes 5; L = 10, g = 20.
network::Network example() {
    network::GridNetwork grid;
    grid.links = {3, 3, link(10, 20)};
    for (const auto* name : {"a", "b", "c"}) grid.clusters.emplace_back().name = name;
    grid.clusters[1].size = 4;
    grid.clusters[1].inside = Cluster::Local{link(1, 2)};
    grid.clusters[2].size = 3;
    grid.clusters[2].inside = Cluster::KnownBroadcast{Seconds(5)};
    return network::Network(grid);
}

/// a to b [0, 30], inside b [30, 36] by a binomial tree; a to c [20, 50], inside c [50, 55].
StatedPlan stated() {
    StatedPlan plan;
    auto& schedule = plan.plan.schedule;
    schedule = hand_made(Kind::broadcast, 3, 100);
    add_copy(schedule, 0, 1);
    add_copy(schedule, 0, 2);
    schedule.local = {{1, "binomial", nullptr, Seconds(6), 1, LocalPart::Phase::after},
                      {2, "known", nullptr, Seconds(5), 1, LocalPart::Phase::after}};
    auto& timeline = plan.plan.timeline;
    timeline.transfers = {{Seconds(0), {}, {}, Seconds(30)}, {Seconds(20), {}, {}, Seconds(50)}};
    timeline.local = {{Seconds(30), Seconds(36)}, {Seconds(50), Seconds(55)}};
    timeline.makespan = Seconds(55);
    plan.has_times = plan.has_makespan = true;
    return plan;
}

std::string fault_of(const StatedPlan& plan, const network::Network& network = example()) {
    return check_plan(plan, network, "plan.json").violation.value_or("");
}

void state_part(StatedPlan& plan, std::size_t part, double start, double end) {
    plan.plan.timeline.local[part] = {Seconds(start), Seconds(end)};
    plan.plan.schedule.local[part].duration = Seconds(end - start);
}

TEST(CheckPlan, accepts_a_plan_between_clusters) { EXPECT_EQ(fault_of(stated()), ""); }

TEST(CheckPlan, every_cluster_of_several_nodes_must_be_served) {
    StatedPlan plan = stated();
    plan.plan.schedule.local.pop_back();
    plan.plan.timeline.local.pop_back();
    plan.plan.timeline.makespan = Seconds(50);
    EXPECT_THAT(fault_of(plan), AllOf(HasSubstr("'c'"), HasSubstr("3 nodes")));
}

TEST(CheckPlan, a_known_broadcast_takes_its_time_after_its_message) {
    StatedPlan plan = stated();
    state_part(plan, 1, 50, 54);
    plan.plan.timeline.makespan = Seconds(54);
    EXPECT_THAT(fault_of(plan), AllOf(HasSubstr("'c'"), HasSubstr("5 s")));
    state_part(plan, 1, 49, 54);
    EXPECT_THAT(fault_of(plan), HasSubstr("'c'"));
}

TEST(CheckPlan, a_known_broadcast_needs_its_coordinator) {
    // c serves b as well, and can't be busy inside until it has.
    StatedPlan plan = stated();
    auto& schedule = plan.plan.schedule;
    std::swap(schedule.transfers[0], schedule.transfers[1]);
    schedule.transfers[1].from = 2;
    plan.plan.timeline.transfers = {{Seconds(0), {}, {}, Seconds(30)},
                                    {Seconds(30), {}, {}, Seconds(60)}};
    state_part(plan, 0, 60, 66);
    state_part(plan, 1, 50, 55);
    plan.plan.timeline.makespan = Seconds(66);
    EXPECT_EQ(fault_of(plan), "");
    state_part(plan, 1, 30, 35);
    EXPECT_THAT(fault_of(plan),
                AllOf(HasSubstr("'c'"), HasSubstr("coordinator from 30 s to 50 s")));
}

/// Inside b [0, 6] by a binomial tree, inside c [0, 5]; b to a [6, 36], c to a [26, 56].
StatedPlan stated_reduction() {
    StatedPlan plan;
    auto& schedule = plan.plan.schedule;
    schedule = hand_made(Kind::reduce, 3, 100);
    add_combine(schedule, 1, 0);
    add_combine(schedule, 2, 0);
    schedule.local = {{1, "binomial", nullptr, Seconds(6), 1, LocalPart::Phase::before},
                      {2, "known", nullptr, Seconds(5), 1, LocalPart::Phase::before}};
    auto& timeline = plan.plan.timeline;
    timeline.transfers = {{Seconds(6), {}, {}, Seconds(36)}, {Seconds(26), {}, {}, Seconds(56)}};
    timeline.local = {{Seconds(0), Seconds(6)}, {Seconds(0), Seconds(5)}};
    timeline.makespan = Seconds(56);
    plan.has_times = plan.has_makespan = true;
    return plan;
}

TEST(CheckPlan, accepts_a_reduction_between_clusters) {
    EXPECT_EQ(fault_of(stated_reduction()), "");
}

TEST(CheckPlan, a_reduction_inside_takes_its_time_before_its_coordinator_sends) {
    StatedPlan plan = stated_reduction();
    state_part(plan, 1, 0, 4);
    EXPECT_THAT(fault_of(plan), AllOf(HasSubstr("'c'"), HasSubstr("5 s")));
    state_part(plan, 1, 23, 28);
    EXPECT_THAT(fault_of(plan), HasSubstr("'c'"));
    state_part(plan, 1, 0, 5);
    plan.plan.schedule.local[1].phase = LocalPart::Phase::after;
    EXPECT_THAT(fault_of(plan), AllOf(HasSubstr("'c'"), HasSubstr("after its transfers")));
}

TEST(CheckPlan, a_known_reduction_needs_its_coordinator) {
    // c passes on what b sends, and can receive that only after its own inside.
    StatedPlan plan = stated_reduction();
    plan.plan.schedule.transfers[0].to = 2;
    plan.plan.timeline.transfers = {{Seconds(6), {}, {}, Seconds(36)},
                                    {Seconds(36), {}, {}, Seconds(66)}};
    plan.plan.timeline.makespan = Seconds(66);
    EXPECT_EQ(fault_of(plan), "");
    state_part(plan, 1, 14, 19);
    EXPECT_THAT(fault_of(plan),
                AllOf(HasSubstr("'c'"), HasSubstr("coordinator from 16 s to 36 s")));
}

TEST(CheckPlan, an_unknown_strategy_can_not_beat_the_bound) {
    StatedPlan plan = stated();
    plan.plan.schedule.local[0].strategy = "wishful";
    EXPECT_EQ(fault_of(plan), "");
    state_part(plan, 0, 30, 30.9);
    EXPECT_THAT(fault_of(plan), AllOf(HasSubstr("'b'"), HasSubstr("can't take less")));
}

TEST(CheckPlan, builds_known_strategies_again_down_to_ranks) {
    auto grid = *example().grid();
    grid.clusters[2].inside = Cluster::Local{link(1, 2)};
    const network::Network network(grid);
    StatedPlan plan = stated();
    plan.plan.schedule.local[1].strategy = "chain";
    state_part(plan, 1, 50, 56);
    plan.plan.timeline.makespan = Seconds(56);
    EXPECT_EQ(fault_of(plan, network), "");
    EXPECT_EQ(check_plan(plan, network, "f").timeline.completion.size(), 8U) << "between ranks";
    state_part(plan, 1, 50, 55);
    plan.plan.timeline.makespan = Seconds(55);
    EXPECT_THAT(fault_of(plan, network), HasSubstr("between ranks it is 56 s"));
    state_part(plan, 1, 50, 56);
    plan.plan.timeline.makespan = Seconds(56);
    state_part(plan, 0, 30, 35);
    EXPECT_THAT(fault_of(plan, network), AllOf(HasSubstr("'b'"), HasSubstr("30 s to 36 s")));
}

TEST(CheckPlan, knows_nodes_by_their_names_in_any_order) {
    StatedPlan plan = stated();
    auto& schedule = plan.plan.schedule;
    // c, a, b in place of a, b, c.
    schedule.nodes = {"c", "a", "b"};
    const std::size_t number[] = {1, 2, 0};
    schedule.collective.root = number[schedule.collective.root];
    for (auto& transfer : schedule.transfers) {
        transfer.from = number[transfer.from];
        transfer.to = number[transfer.to];
    }
    for (auto& part : schedule.local) part.node = number[part.node];
    EXPECT_EQ(fault_of(plan), "");
    schedule.nodes = {"a", "b", "c"};
    EXPECT_NE(fault_of(plan), "") << "then they are others";
}

/// The plan with the times that its order has on this network.
StatedPlan timed(const schedule::Schedule& schedule, const simulate::Fabric& fabric) {
    StatedPlan plan;
    plan.plan.schedule = schedule;
    plan.plan.timeline = simulate::simulate(schedule, fabric);
    plan.has_times = plan.has_makespan = true;
    return plan;
}

TEST(CheckPlan, the_order_of_ranks_is_the_schedules) {
    using namespace espalier::test;
    // d, a, c, b: the network names them otherwise, and costs of its pairs differ.
    network::PairwiseNetwork pairwise = *uniform_pairwise(4, 1, 100).pairwise();
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            pairwise.startup(i, j) = Seconds(1 + 0.1 * static_cast<double>(3 * i + j));
    pairwise.nodes = {"d", "a", "c", "b"};
    const network::Network network(pairwise);
    const auto fabric = simulate::make_fabric(network);
    const std::vector<std::size_t> in_order{1, 3, 2, 0};
    for (const auto& schedule : one_of_every_kind()) {
        if (schedule.nodes.size() != 4) continue;
        SCOPED_TRACE(name_of(schedule.collective.kind));
        const StatedPlan plan = timed(schedule, *simulate::renumbered(*fabric, in_order));
        EXPECT_EQ(fault_of(plan, network), "");
        EXPECT_NE(fault_of(timed(schedule, *fabric), network), "") << "as other nodes would";
    }
}

TEST(CheckPlan, takes_every_collective_between_the_nodes_of_a_grid) {
    using namespace espalier::test;
    network::GridNetwork grid;
    grid.links = {2, 2, link(10, 20)};
    for (const auto* name : {"x", "y"}) {
        auto& cluster = grid.clusters.emplace_back();
        cluster.name = name;
        cluster.size = 2;
        cluster.inside = Cluster::Local{link(1, 2)};
    }
    grid.clusters[0].nodes = {"a", "c"};
    grid.clusters[1].nodes = {"b", "d"};
    const network::Network network(grid);
    const network::GridView view(*network.grid());
    const auto fabric = simulate::make_rank_fabric(view, {{0, 0}, {1, 0}, {0, 1}, {1, 1}});
    for (const auto& schedule : one_of_every_kind())
        if (schedule.nodes.size() == 4) {
            EXPECT_EQ(fault_of(timed(schedule, *fabric), network), "")
                << name_of(schedule.collective.kind);
        }
}

TEST(CheckPlan, only_broadcasts_and_reductions_stop_at_clusters) {
    StatedPlan plan = stated();
    plan.plan.schedule.collective.kind = Kind::allreduce;
    for (auto& transfer : plan.plan.schedule.transfers) {
        std::swap(transfer.from, transfer.to);
        transfer.op = schedule::Op::combine;
    }
    add_copy(plan.plan.schedule, 0, 1);
    add_copy(plan.plan.schedule, 0, 2);
    plan.plan.timeline = {};
    plan.has_times = plan.has_makespan = false;
    EXPECT_EQ(fault_of(plan), "only broadcast and reduce have local parts, not allreduce");
    plan.plan.schedule.local.clear();
    EXPECT_EQ(fault_of(plan), "node 'b' has 4 nodes inside that nobody serves");
}

TEST(CheckPlan, names_must_be_the_networks) {
    StatedPlan plan = stated();
    plan.plan.schedule.nodes[1] = "z";
    EXPECT_THROW(static_cast<void>(fault_of(plan)), InputError);
    EXPECT_THROW(static_cast<void>(fault_of(stated(), espalier::test::senders({1, 2}))),
                 InputError);
}

TEST(CheckPlan, checks_schedules_of_every_model) {
    using namespace espalier::test;
    for (const auto& network : {uniform_grid(4, 1, 2), uniform_pairwise(4, 1, 100)}) {
        StatedPlan plan = timed(reduction_and_broadcast(), *simulate::make_fabric(network));
        EXPECT_EQ(fault_of(plan, network), "");
        plan.plan.timeline.transfers[5].end -= Seconds(0.5);
        EXPECT_THAT(fault_of(plan, network), HasSubstr("transfer 5"));
    }
}

}  // namespace
}  // namespace espalier::plan
