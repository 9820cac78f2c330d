#include "core/random.hpp"
#include "network/grid_view.hpp"
#include "plan/composed/halves.hpp"
#include "plan/composed/lanes.hpp"
#include "plan/composed/listing.hpp"
#include "plan/composed/runs.hpp"
#include "plan/composed_case.hpp"
#include "schedule/validate.hpp"
#include "simulate/simulate.hpp"
#include "support/random_grids.hpp"
#include "support/random_jobs.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace espalier::plan::composed {
namespace {

using network::GridNetwork;
using network::GridView;
using schedule::Kind;
using schedule::Schedule;

network::PLogP link(double latency, double gap) {
    return {network::CostTable(Seconds(latency)), network::CostTable(Seconds(gap))};
}

/// Clusters of one node, all as far from each other.
GridNetwork evenly_apart(std::size_t clusters, double latency, double gap) {
    GridNetwork grid;
    grid.links = {clusters, clusters, link(latency, gap)};
    for (std::size_t c = 0; c < clusters; ++c)
        grid.clusters.emplace_back().name = "n" + std::to_string(c);
    return grid;
}

TEST(ComposedListing, lets_no_send_wait_for_what_is_not_there_yet) {
    const GridNetwork grid = evenly_apart(4, 1, 1);
    const Case given(grid, Kind::broadcast);
    Schedule schedule = empty_schedule(given.problem());
    schedule.chunks = {{.bytes = Bytes(500)}, {.bytes = Bytes(500)}};
    // By this list node 1 waits for the second chunk before it passes on the first.
    schedule.transfers = {{0, 1, 0}, {0, 2, 1}, {2, 1, 1}, {1, 3, 1}, {1, 3, 0}, {1, 2, 0}};
    const double before = simulate::simulate(schedule, *given.fabric).makespan.value;
    const double listed = list_greedily(schedule, *given.fabric);
    EXPECT_DOUBLE_EQ(simulate::simulate(schedule, *given.fabric).makespan.value, listed);
    EXPECT_LT(listed, before);
    EXPECT_EQ(schedule::find_violation(schedule), std::nullopt);
}

TEST(ComposedListing, tells_the_time_of_the_list_where_messages_only_queue) {
    Random random(81);
    for (int n = 0; n < 30; ++n) {
        const GridNetwork grid = test::random_grid(random, {.nested = true, .shared = false});
        Case given(grid, Kind::allreduce);
        given.request.ordered = random.below(2) == 0;
        const Problem problem = given.problem();
        const std::size_t ranks = given.job.places.size();
        Schedule schedule = empty_schedule(problem);
        schedule.collective.ordered = false;
        for (std::size_t s = 0; s < 4; ++s) {
            schedule.chunks.push_back({.bytes = Bytes(250)});
            const std::size_t centre = random.below(ranks);
            combine(schedule, level_tree(problem, centre, Bytes(250), Direction::up), s);
            spread(schedule, level_tree(problem, centre, Bytes(250), Direction::down), s);
        }
        const double listed = list_greedily(schedule, *given.fabric);
        EXPECT_NEAR(listed, simulate::simulate(schedule, *given.fabric).makespan.value,
                    1e-12 * listed);
        EXPECT_EQ(schedule::find_violation(schedule), std::nullopt);
    }
}

TEST(ComposedListing, keeps_what_a_send_carries_from_what_arrives_later) {
    const GridNetwork grid = evenly_apart(3, 0.1, 1);
    const Case given(grid, Kind::scan);
    Schedule schedule = empty_schedule(given.problem());
    schedule.chunks = {{.bytes = Bytes(1000)}};
    // Node 1 sends its own before it gets what 0 has, and 2 gets both one after the other.
    schedule.transfers = {{1, 2, 0, schedule::Op::combine},
                          {0, 1, 0, schedule::Op::combine},
                          {0, 2, 0, schedule::Op::combine}};
    ASSERT_EQ(schedule::find_violation(schedule), std::nullopt);
    (void)list_greedily(schedule, *given.fabric);
    EXPECT_EQ(schedule::find_violation(schedule), std::nullopt);
}

TEST(Lanes, avoid_what_those_before_them_carry) {
    GridNetwork grid = evenly_apart(3, 0.4, 0.0001);
    grid.links(0, 1) = link(0.95, 0.0001);
    // A whole share takes half a second.
    grid.shared = {{"0-2", BytesPerSecond(1000), {{0, 2}, {2, 0}}}};
    const Case given(grid, Kind::broadcast);
    const Problem problem = given.problem();
    Lanes lanes(problem, Bytes(10), Bytes(500), Shape::chain);
    EXPECT_EQ(lanes.grow(0, Direction::down).parent, (std::vector<std::size_t>{0, 0, 0}));
    EXPECT_DOUBLE_EQ(lanes.load(), 0.5);
    EXPECT_EQ(lanes.grow(0, Direction::down).parent, (std::vector<std::size_t>{0, 0, 1}));
    EXPECT_DOUBLE_EQ(lanes.load(), 0.5);
}

TEST(Lanes, enter_a_cluster_at_another_rank_each) {
    GridNetwork grid = evenly_apart(2, 1, 0.1);
    grid.clusters[1].size = 4;
    grid.clusters[1].inside = network::Cluster::Local{link(0.01, 0.01)};
    const Case given(grid, Kind::broadcast);
    const Problem problem = given.problem();
    Lanes lanes(problem, Bytes(10), Bytes(250), Shape::chain);
    std::set<std::size_t> entrances;
    for (int lane = 0; lane < 4; ++lane)
        entrances.insert(lanes.grow(0, Direction::down).children[0][0]);
    EXPECT_EQ(entrances.size(), 4U);
}

/// Clusters of these sizes, all as far from each other.
GridNetwork clusters_of(const std::vector<std::size_t>& sizes, double latency) {
    GridNetwork grid = evenly_apart(sizes.size(), latency, 1e-4);
    for (std::size_t c = 0; c < sizes.size(); ++c) {
        grid.clusters[c].size = sizes[c];
        grid.clusters[c].inside = network::Cluster::Local{link(1e-3, 1e-4)};
    }
    return grid;
}

TEST(Halves, lie_on_both_sides_of_the_longest_links) {
    GridNetwork grid = clusters_of({2, 2, 2, 1}, 1);
    grid.links(0, 2) = grid.links(2, 0) = link(0.1, 1e-4);
    grid.links(1, 3) = grid.links(3, 1) = link(0.2, 1e-4);
    const Case given(grid, Kind::allreduce);
    const auto halves = halves_of(given.problem());
    ASSERT_TRUE(halves);
    EXPECT_EQ(halves->near.ranks(), (std::vector<std::size_t>{0, 1, 4, 5}));
    EXPECT_EQ(halves->far.ranks(), (std::vector<std::size_t>{2, 3, 6}));
}

TEST(Halves, of_one_rank_are_where_the_centre_is) {
    const GridNetwork grid = clusters_of({3, 1}, 1);
    const auto halves = halves_of(Case(grid, Kind::allreduce).problem());
    ASSERT_TRUE(halves);
    EXPECT_EQ(halves->near.ranks(), (std::vector<std::size_t>{3}));
    const GridNetwork two = evenly_apart(2, 1, 0.1);
    EXPECT_FALSE(halves_of(Case(two, Kind::allreduce).problem()));
}

TEST(Halves, cross_once_whatever_is_cut) {
    for (const auto& sizes : {std::vector<std::size_t>{4, 3}, {1, 2}, {5}, {2, 2, 1}}) {
        const GridNetwork grid = clusters_of(sizes, 1);
        for (const Kind kind : {Kind::allreduce, Kind::barrier}) {
            Case given(grid, kind);
            if (kind == Kind::barrier) given.request.bytes = Bytes(0);
            if (kind == Kind::allreduce) given.request.bytes = Bytes(64'000);
            Meter meter({});
            for (const Schedule& schedule : exchange_of_halves(given.problem(), meter)) {
                EXPECT_EQ(schedule::find_violation(schedule), std::nullopt);
                const double crossings = sizes.size() == 1 ? 0 : sizes.size() == 2 ? 1 : 3;
                EXPECT_LT(simulate::simulate(schedule, *given.fabric).makespan.value,
                          crossings + 0.1);
            }
        }
    }
}

TEST(Runs, are_known_level_by_level_where_ranks_follow_one_another) {
    GridNetwork grid = evenly_apart(3, 1, 0.1);
    for (auto& cluster : grid.clusters) {
        cluster.size = 2;
        cluster.inside = network::Cluster::Local{link(0.01, 0.01)};
    }
    const GridView view(grid);
    Job job = Job::everywhere(view);
    std::swap(job.places[0], job.places[2]);
    std::swap(job.places[1], job.places[3]);
    const auto run = runs_of(site_of(job));
    ASSERT_EQ(run.members.size(), 3U);
    for (std::size_t m = 0; m < 3; ++m) {
        EXPECT_EQ(run.members[m].first, 2 * m);
        EXPECT_EQ(run.members[m].last, 2 * m + 1);
        EXPECT_TRUE(run.members[m].alike);
    }
    EXPECT_FALSE(run.alike);
    std::swap(job.places[1], job.places[4]);
    EXPECT_TRUE(runs_of(site_of(job)).members.empty());
}

}  // namespace
}  // namespace espalier::plan::composed
