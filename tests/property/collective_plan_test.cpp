// Collectives composed of pieces, on random grids: every candidate of every planner does its job
// and can run, reductions that all ranks share are finished at one of them, and what is planned
// keeps to its bound.

#include "core/error.hpp"
#include "core/random.hpp"
#include "network/grid_view.hpp"
#include "plan/algorithm.hpp"
#include "plan/collective_bound.hpp"
#include "schedule/validate.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/final_values.hpp"
#include "support/racing.hpp"
#include "support/random_grids.hpp"
#include "support/random_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace espalier::plan {
namespace {

using network::GridNetwork;
using network::GridView;
using schedule::Kind;
using schedule::Schedule;
using test::random_grid;
using test::random_job;

constexpr std::uint64_t sizes[] = {0, 1, 3, 777, 65536, 1 << 20};
constexpr std::size_t most_ranks = 40;
constexpr Limits short_search{Seconds(1e8), 1'000'000};

/// Of some job of up to 40 ranks; by turns in order and not.
Job some_job(Random& random, const GridView& view) {
    Job job = random_job(random, view);
    if (job.places.size() > most_ranks) job.places.resize(most_ranks);
    return random.below(2) == 0 ? test::in_order(std::move(job)) : job;
}

Request some_request(Random& random, const Job& job, Kind kind) {
    Request request;
    request.kind = kind;
    request.root = random.below(job.places.size());
    if (kind != Kind::barrier) request.bytes = Bytes(sizes[random.below(std::size(sizes))]);
    request.ordered = random.below(3) == 0;
    request.ports = 1 + random.below(4) / 3;
    const std::uint64_t piece = 1 + request.bytes.value / (1 + random.below(9));
    const Segmenting cuts[] = {{Segmenting::Mode::none, Bytes(0)},
                               {Segmenting::Mode::automatic, Bytes(0)},
                               {Segmenting::Mode::fixed, Bytes(piece)}};
    request.segmenting = cuts[random.below(3)];
    return request;
}

std::string describe(const Request& request, const Job& job) {
    return std::string(name_of(request.kind)) + (request.ordered ? " in order of " : " of ") +
           std::to_string(request.bytes.value) + " bytes among " +
           std::to_string(job.places.size()) + " by " + request.algorithm;
}

void expect_does_its_job(const Schedule& schedule, const Request& request) {
    const auto violation = schedule::find_violation(schedule);
    ASSERT_EQ(violation.value_or(schedule::Violation{}).what, "");
    EXPECT_EQ(schedule.collective.kind, request.kind);
    EXPECT_EQ(schedule.collective.bytes, request.bytes);
    EXPECT_EQ(schedule.collective.ordered, request.ordered);
    const bool shared = request.kind == Kind::allreduce || request.kind == Kind::barrier;
    if (shared && schedule.nodes.size() > 1) {
        EXPECT_THAT(test::final_values(schedule), ::testing::Each(1U));
    }
}

constexpr Kind kinds[] = {Kind::broadcast, Kind::reduce, Kind::allreduce,
                          Kind::barrier,   Kind::scan,   Kind::exscan};

TEST(CollectivePlanProperty, every_candidate_of_every_planner_of_trees_and_scans_does_its_job) {
    Random random(61);
    std::map<std::string_view, int> candidates;
    for (int n = 0; n < 60; ++n) {
        const GridNetwork grid = random_grid(random, {.caps = n % 3 == 0});
        const GridView view(grid);
        const Job job = some_job(random, view);
        const Site site = site_of(job);
        const auto fabric = simulate::make_rank_fabric(view, job.places);
        for (const Algorithm& algorithm : algorithms()) {
            if (algorithm.family != Family::composed) continue;
            for (const Kind kind : kinds) {
                if (!serves(algorithm, kind)) continue;
                Request request = some_request(random, job, kind);
                request.algorithm = algorithm.name;
                SCOPED_TRACE(describe(request, job));
                const composed::Problem problem{&job,         &request,       &site,
                                                fabric.get(), *request.ports, 0};
                Meter meter(short_search);
                for (const Schedule& schedule :
                     std::get<composed::Planner>(algorithm.make)(problem, meter)) {
                    ++candidates[algorithm.name];
                    ASSERT_NO_FATAL_FAILURE(expect_does_its_job(schedule, request));
                    EXPECT_GE(simulate::simulate(schedule, *fabric).makespan.value, 0);
                }
            }
        }
    }
    EXPECT_GE(candidates.size(), 6U);
    for (const auto& [name, count] : candidates) EXPECT_GT(count, 20) << name;
}

TEST(CollectivePlanProperty, what_is_planned_does_its_job_and_keeps_to_its_bound) {
    Random random(62);
    for (int n = 0; n < 20; ++n) {
        const GridNetwork grid = random_grid(random, {.caps = n % 3 == 0});
        const GridView view(grid);
        const Job job = some_job(random, view);
        const auto fabric = simulate::make_rank_fabric(view, job.places);
        for (const Kind kind : kinds) {
            const Request request = some_request(random, job, kind);
            SCOPED_TRACE(describe(request, job));
            const auto plan = plan_best(job, request, short_search);
            Request done = request;
            if (kind == Kind::broadcast || kind == Kind::barrier) done.ordered = false;
            ASSERT_NO_FATAL_FAILURE(expect_does_its_job(plan.schedule, done));
            const Seconds bound =
                collective_bound(*fabric, plan.schedule.collective, *request.ports);
            EXPECT_LE(bound.value, plan.timeline.makespan.value * (1 + 1e-9));
            // A tree of whole messages has a bound of its own beside the one of any schedule.
            const bool whole = plan.scope == schedule::BoundScope::whole_message;
            EXPECT_EQ(whole ? plan.any_bound : plan.lower_bound,
                      std::min(bound, plan.timeline.makespan));
            EXPECT_EQ(plan.timeline.makespan.value,
                      simulate::simulate(plan.schedule, *fabric).makespan.value);
            EXPECT_EQ(plan.schedule.ports.count, request.ports);
        }
    }
}

}  // namespace
}  // namespace espalier::plan
