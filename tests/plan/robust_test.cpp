// Plans for a percentile of the makespan, over what costs may be.

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "network/convert.hpp"
#include "plan/check_plan.hpp"
#include "plan/race.hpp"
#include "plan/scenarios.hpp"
#include "schedule/json.hpp"
#include "schedule/validate.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/racing.hpp"
#include "support/random_grids.hpp"
#include "support/random_jobs.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <optional>

namespace espalier::plan {
namespace {

using schedule::Kind;
using ::testing::HasSubstr;

/// a to b straight, which is fast but unsteady, or through c.
network::PairwiseNetwork detour(double straight, double half_way) {
    network::PairwiseNetwork network{
        {"a", "b", "c"}, {3, 3, Seconds(1)}, {3, 3, BytesPerSecond(1e9)}, {}, {}, {}, {3, 3, 0.0}};
    network.startup(0, 1) = Seconds(1.9);
    network.spread(0, 1) = straight;
    network.spread(0, 2) = half_way;
    return network;
}

Request broadcast(std::optional<unsigned> robust) {
    Request request;
    request.bytes = Bytes(1);
    request.robust = robust;
    return request;
}

TEST(RobustPlan, takes_the_steady_way_round_an_unsteady_link) {
    const auto grid = to_grid_in_flight(detour(1, 0));
    const network::GridView view(grid);
    const Job job = Job::everywhere(view);
    const auto plain = plan_best(job, broadcast(std::nullopt));
    EXPECT_NEAR(plain.timeline.makespan.value, 1.9, 1e-6);
    EXPECT_FALSE(plain.robust);
    const auto robust = plan_best(job, broadcast(90));
    ASSERT_TRUE(robust.robust);
    EXPECT_NEAR(robust.timeline.makespan.value, 2, 1e-6);
    EXPECT_NEAR(robust.robust->makespan.value, 2, 1e-6);
    EXPECT_EQ(robust.robust->percentile, 90U);
    // By the straight link it is 1.9 * 2^1.3.
    const auto by_link = Scenarios(job, 90).makespan(plain.schedule);
    EXPECT_NEAR(by_link.time->value, 1.9 * std::pow(2, 1.311), 1e-2);
    EXPECT_EQ(by_link.simulations, network::scenario_count);
}

TEST(RobustPlan, gives_up_what_is_over_the_limit_in_enough_scenarios) {
    const auto grid = to_grid_in_flight(detour(1, 0));
    const network::GridView view(grid);
    const Job job = Job::everywhere(view);
    const auto plain = plan_best(job, broadcast(std::nullopt));
    const Scenarios scenarios(job, 90);
    const auto given_up = scenarios.makespan(plain.schedule, Seconds(2));
    EXPECT_FALSE(given_up.time);
    EXPECT_LT(given_up.simulations, network::scenario_count);
    const Seconds found = *scenarios.makespan(plain.schedule).time;
    EXPECT_EQ(scenarios.makespan(plain.schedule, found).time, found);
    EXPECT_FALSE(scenarios.makespan(plain.schedule, found * 0.999).time);
}

TEST(RobustPlan, hedges_where_less_is_known) {
    // Nothing is stated of how far the costs are off: all are equally uncertain, and it is the
    // shorter way. Where all but one were measured well, that one is avoided.
    auto network = detour(0, 0);
    network.spread = {};
    const auto uncertain = to_grid_in_flight(network);
    EXPECT_NEAR(plan_best(Job::everywhere(network::GridView(uncertain)), broadcast(std::nullopt))
                    .timeline.makespan.value,
                1.9, 1e-6);
    network.spread = {3, 3, 0.01};
    network.spread(0, 1).reset();
    const auto grid = to_grid_in_flight(network);
    const network::GridView view(grid);
    EXPECT_NEAR(plan_best(Job::everywhere(view), broadcast(90)).timeline.makespan.value, 2, 1e-6);
}

TEST(RobustPlan, of_costs_without_spread_is_the_plan_for_the_stated_ones) {
    Random random(3);
    for (int i = 0; i < 3; ++i) {
        auto pairs = test::random_pairwise(random, 6, {});
        pairs.spread = {6, 6, 0.0};
        const auto grid = to_grid(pairs);
        const network::GridView view(grid);
        const Job job = Job::everywhere(view);
        for (const unsigned percentile : {50U, 90U, 99U}) {
            const auto plain = ranked_best(job, broadcast(std::nullopt));
            const auto robust =
                ranked_best(job, broadcast(percentile), Limits{Seconds(1e8), 20'000'000});
            EXPECT_EQ(robust.plan.robust->makespan, robust.plan.timeline.makespan);
            EXPECT_LE(robust.time.value, plain.time.value * 1.001);
            EXPECT_LE(robust.plan.lower_bound, robust.plan.robust->makespan);
        }
    }
}

TEST(RobustPlan, is_the_same_each_time_and_valid_and_never_under_its_bound) {
    Random random(5);
    for (int i = 0; i < 8; ++i) {
        const auto grid = test::random_grid(random, {.known = i % 4 == 3});
        const network::GridView view(grid);
        const Job job = i % 4 == 3 ? Job::everywhere(view) : test::random_job(random, view);
        Request request = broadcast(50 + static_cast<unsigned>(random.below(50)));
        if (i % 4 != 3 && i % 2 == 0) request.kind = Kind::allreduce;
        request.bytes = Bytes(random.below(100'000) + 1);
        const Limits budget{Seconds(1e8), 4'000'000};
        const Ranked once = ranked_best(job, request, budget);
        const Ranked again = ranked_best(job, request, budget);
        EXPECT_EQ(schedule::to_json_text(once.plan), schedule::to_json_text(again.plan));
        EXPECT_FALSE(schedule::find_violation(once.plan.schedule));
        if (job.places.size() < 2) continue;
        ASSERT_TRUE(once.plan.robust);
        EXPECT_LE(once.plan.robust->lower_bound, once.plan.robust->makespan);
        EXPECT_GT(once.plan.robust->lower_bound, Seconds(0));
        const Scenarios scenarios(job, *request.robust);
        EXPECT_EQ(scenarios.makespan(once.plan.schedule).time, once.plan.robust->makespan);
    }
}

// At least half of the scenarios of each pair take as long as the stated costs: the makespan's
// logarithm is convex in those of the factors if messages only queue.
TEST(RobustTime, is_never_under_the_time_at_stated_costs_where_messages_only_queue) {
    Random random(9);
    for (int i = 0; i < 30; ++i) {
        auto pairs = test::random_pairwise(random, 6, {});
        pairs.spread = {6, 6, std::optional<double>(random.uniform(0, 3))};
        const auto grid = to_grid(pairs);
        const network::GridView view(grid);
        const Job job = Job::everywhere(view);
        Request request = broadcast(std::nullopt);
        request.kind = i % 2 == 0 ? Kind::alltoall : Kind::broadcast;
        const auto plan = plan_best(job, request, Limits{Seconds(1e8), 100'000});
        EXPECT_GE(Scenarios(job, 50).makespan(plan.schedule).time->value,
                  plan.timeline.makespan.value * (1 - 1e-12));
    }
}

TEST(RobustPlan, explains_what_it_was_made_for) {
    const auto grid = to_grid_in_flight(detour(1, 0));
    const network::GridView view(grid);
    const Race found = race(Job::everywhere(view), broadcast(90));
    EXPECT_EQ(found.considered.front().robust, found.best().time);
    EXPECT_THAT(explain(found.considered), HasSubstr("; made for mean costs"));
    EXPECT_THAT(explain(found.considered), HasSubstr("robust"));
    EXPECT_THAT(to_json(found.considered).dump(), HasSubstr(R"("made_for":"costs at p90")"));
    const Race plain = race(Job::everywhere(view), broadcast(std::nullopt));
    EXPECT_FALSE(plain.considered.front().robust);
    EXPECT_THAT(explain(plain.considered), testing::Not(HasSubstr("robust")));
}

TEST(RobustPlan, is_refused_for_percentiles_below_the_median_and_for_certainty) {
    for (const auto* text : {"p49", "p100", "90", "p", "p9x", "p-90", "p90.5", ""})
        EXPECT_THROW((void)parse_robust(text, "--robust"), InputError) << text;
    EXPECT_EQ(parse_robust("p50", "--robust"), 50U);
    EXPECT_EQ(parse_robust("p99", "--robust"), 99U);
    const auto grid = to_grid_in_flight(detour(1, 0));
    const network::GridView view(grid);
    EXPECT_THROW((void)race(Job::everywhere(view), broadcast(49)), InputError);
}

/// A plan as a file states it.
schedule::StatedPlan written(const schedule::Plan& plan) {
    return schedule::parse_schedule(schedule::to_json_text(plan), "plan.json");
}

TEST(RobustTime, that_a_file_states_is_computed_anew) {
    const network::Network network(detour(1, 0));
    const auto grid = to_grid(*network.pairwise());
    const network::GridView view(grid);
    auto plan = plan_best(Job::everywhere(view), broadcast(90));
    const auto check = check_plan(written(plan), network, "plan.json");
    EXPECT_FALSE(check.violation) << *check.violation;
    EXPECT_NEAR(check.robust->value, plan.robust->makespan.value, 1e-9);
    plan.robust->makespan = plan.robust->makespan * 0.99;
    EXPECT_THAT(*check_plan(written(plan), network, "plan.json").violation,
                HasSubstr("the p90 of the makespan is stated as"));
    plan.robust->makespan = plan.robust->makespan * 2;
    plan.robust->lower_bound = plan.robust->makespan;
    EXPECT_THAT(*check_plan(written(plan), network, "plan.json").violation,
                HasSubstr("the lower bound of the p90"));
}

TEST(Scenario, of_a_job_is_the_fabric_of_the_network_that_it_describes) {
    Random random(11);
    for (int i = 0; i < 20; ++i) {
        // All costs but those of one kind are exact, so that one percentile is one scenario.
        auto grid = test::random_grid(random, {.nested = false});
        const double spread = random.uniform(0.1, 2);
        for (std::size_t a = 0; a < grid.size(); ++a) {
            if (auto* local = std::get_if<network::Cluster::Local>(&grid.clusters[a].inside))
                local->link.spread = spread;
            if (grid.clusters[a].within_node) grid.clusters[a].within_node->spread = spread;
            for (std::size_t b = 0; b < grid.size(); ++b)
                if (grid.links(a, b)) grid.links(a, b)->spread = spread;
        }
        for (auto& shared : grid.shared) shared.spread = spread;
        const network::GridView view(grid);
        const Job job = test::random_job(random, view);
        const double deviations = 1.2815515655446004;
        const double factor = std::exp(std::log1p(spread) * deviations);
        const std::size_t leaves = view.leaves().size();
        const std::vector<network::Scenario> scenarios{
            {Matrix<double>(leaves, leaves, factor), std::vector<double>(leaves, factor),
             std::vector<double>(view.shared().size(), factor)}};
        const auto fabrics = simulate::make_rank_fabrics(view, job.places, scenarios);
        const auto scaled = network::at_percentile(grid, 90);
        const network::GridView scaled_view(scaled);
        const auto expected = simulate::make_rank_fabric(scaled_view, job.places);
        ASSERT_EQ(fabrics.front()->capacities().size(), expected->capacities().size());
        for (std::size_t c = 0; c < expected->capacities().size(); ++c)
            EXPECT_NEAR(fabrics.front()->capacities()[c].limit / expected->capacities()[c].limit, 1,
                        1e-9);
        for (std::size_t a = 0; a < job.places.size(); ++a)
            for (std::size_t b = 0; b < job.places.size(); ++b) {
                if (a == b) continue;
                const auto found = fabrics.front()->cost(a, b, Bytes(5000));
                const auto cost = expected->cost(a, b, Bytes(5000));
                EXPECT_NEAR(found.gap.value, cost.gap.value, 1e-9 * cost.gap.value);
                EXPECT_NEAR(found.latency.value, cost.latency.value, 1e-9 * cost.latency.value);
                EXPECT_NEAR(fabrics.front()->floor(a, b, Bytes(5000)).seconds_per_byte,
                            expected->floor(a, b, Bytes(5000)).seconds_per_byte, 1e-12);
            }
    }
}

}  // namespace
}  // namespace espalier::plan
