// Schedules of rings, and bounds of them.
#include "plan/gather/ring_schedule.hpp"
#include "core/random.hpp"
#include "network/grid_view.hpp"
#include "plan/collective_bound.hpp"
#include "plan/gather/bound.hpp"
#include "plan/gather/rings.hpp"
#include "plan/stated_fabric.hpp"
#include "schedule/validate.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"
#include "support/plan_within.hpp"
#include "support/random_grids.hpp"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

namespace espalier::plan::gather {
namespace {

using stated::add_random_shares;
using stated::block;
using stated::least_of_all;
using stated::random_fabric;
using stated::StatedFabric;

double all_gather_bound(const simulate::Fabric& fabric, Bytes bytes) {
    return collective_bound(fabric, {schedule::Kind::allgather, fabric.nodes(), 0, bytes}, 1).value;
}
const Limits limits{Seconds(60), 20'000'000};

double slowest_bound_of(const Problem& problem) {
    Meter meter(limits);
    return slowest_step_bound(problem, meter);
}

TEST(SlowestStepBound, is_never_over_the_best_ring_of_all_and_often_meets_it) {
    Random random(7);
    std::size_t met = 0;
    constexpr std::size_t trials = 100;
    for (std::size_t trial = 0; trial < trials; ++trial) {
        StatedFabric fabric = random_fabric(random, 2 + random.below(6));
        if (trial % 4 == 1) add_random_shares(fabric, random);
        const double bound = slowest_bound_of(make_problem(fabric, block));
        const double least = least_of_all(fabric).by_slowest.slowest;
        EXPECT_LE(bound, least * (1 + 1e-12));
        if (bound >= least - 1e-9) ++met;
    }
    EXPECT_GT(met, trials / 2);
}

TEST(SlowestStepBound, knows_that_a_ring_passes_no_node_twice) {
    // Two triangles that share a node: connected, and yet no ring.
    StatedFabric fabric(5);
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j)
            fabric.gaps(i, j) = i == 2 || j == 2 || (i < 2) == (j < 2) ? 1 : 7;
    EXPECT_EQ(slowest_bound_of(make_problem(fabric, block)), 7);
}

/// Round the ring that a planner finds on the fabric.
schedule::Schedule round(Planner planner, const simulate::Fabric& fabric, Bytes bytes) {
    std::vector<std::string> names;
    for (std::size_t node = 0; node < fabric.nodes(); ++node) names.push_back(std::to_string(node));
    const Order order = test::plan_within(limits, planner, make_problem(fabric, bytes));
    schedule::Schedule schedule = make_ring_schedule(order, bytes, nullptr, std::move(names));
    EXPECT_EQ(ring_of(schedule), order);
    return schedule;
}

TEST(RingSchedule, is_valid_in_every_order_and_no_faster_than_its_bound) {
    Random random(8);
    for (int trial = 0; trial < 12; ++trial) {
        const network::GridNetwork grid = test::random_grid(random, {true, trial % 2 == 0, false});
        const network::GridView view(grid);
        std::vector<network::GridView::Place> places;
        for (std::size_t node = 0; node < view.nodes(); ++node)
            places.push_back(view.place_of(node));
        const std::size_t nodes = places.size();
        if (nodes > 24) continue;
        const auto fabric = simulate::make_rank_fabric(view, std::move(places));
        for (const Planner planner : {by_slowest_step, by_sum, in_rank_order}) {
            const Bytes bytes(1 + random.below(100'000));
            const schedule::Schedule schedule = round(planner, *fabric, bytes);
            EXPECT_EQ(schedule::find_violation(schedule), std::nullopt);
            EXPECT_EQ(schedule.transfers.size(), nodes * (nodes - 1));
            const Seconds makespan = simulate::simulate(schedule, *fabric).makespan;
            EXPECT_LE(all_gather_bound(*fabric, bytes), makespan.value * (1 + 1e-12));
        }
    }
}

TEST(RingSchedule, of_a_slow_link_takes_a_step_of_it_for_each_block) {
    // Without latencies the slowest of all steps paces everybody.
    StatedFabric fabric(9);
    fabric.gaps(0, 1) = 5;
    const auto time = [&](Planner planner) {
        return simulate::simulate(round(planner, fabric, block), fabric).makespan.value;
    };
    EXPECT_DOUBLE_EQ(time(in_rank_order), 8 * 5 + 0.0);
    EXPECT_DOUBLE_EQ(time(by_slowest_step), 8);
}

TEST(RingSchedule, of_equal_links_is_as_fast_as_any_schedule) {
    const auto network = test::uniform_pairwise(6, 0, 1000);
    const auto fabric = simulate::make_fabric(network);
    const schedule::Schedule schedule = round(by_slowest_step, *fabric, Bytes(500));
    EXPECT_DOUBLE_EQ(all_gather_bound(*fabric, Bytes(500)), 2.5);
    EXPECT_DOUBLE_EQ(simulate::simulate(schedule, *fabric).makespan.value, 2.5);
}

TEST(AllGatherBound, counts_what_has_to_cross_a_shared_link) {
    StatedFabric fabric(4);
    fabric.share(10, [](std::size_t i, std::size_t j) { return i < 3 && j == 3; });
    EXPECT_DOUBLE_EQ(all_gather_bound(fabric, Bytes(40)), 12);
}

TEST(RingSchedule, of_one_node_is_over_at_once) {
    const StatedFabric fabric(1);
    const schedule::Schedule schedule = round(by_slowest_step, fabric, block);
    EXPECT_EQ(simulate::simulate(schedule, fabric).makespan, Seconds(0));
    EXPECT_TRUE(schedule.transfers.empty());
}

}  // namespace
}  // namespace espalier::plan::gather
