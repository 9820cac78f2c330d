// The percentile of bounds against the percentiles of all schedules' makespans in tiny networks
// whose costs have spreads: none beats it.

#include "network/convert.hpp"
#include "plan/collective_bound.hpp"
#include "plan/scenarios.hpp"
#include "support/random_grids.hpp"
#include "support/small_schedules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace espalier::plan {
namespace {

using schedule::Kind;

TEST(RobustBoundProperty, no_schedule_of_all_that_there_are_for_three_nodes_beats_it) {
    Random random(17);
    const std::map<Kind, std::size_t> longest{{Kind::broadcast, 2}, {Kind::reduce, 3},
                                              {Kind::allreduce, 4}, {Kind::scatter, 3},
                                              {Kind::gather, 3},    {Kind::barrier, 4}};
    double closest = 0;
    for (int n = 0; n < 8; ++n)
        for (const auto& [kind, most] : longest) {
            auto pairs = test::random_pairwise(random, 3, {});
            pairs.spread = {3, 3, std::nullopt};
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < 3; ++j)
                    if (random.below(4) > 0) pairs.spread(i, j) = random.uniform(0, 2);
            const auto grid = network::to_grid(pairs);
            const network::GridView view(grid);
            const Scenarios scenarios(Job::everywhere(view),
                                      50 + static_cast<unsigned>(random.below(50)));
            schedule::Plan plan;
            plan.schedule.collective.kind = kind;
            plan.schedule.collective.nodes = 3;
            if (kind != Kind::barrier)
                plan.schedule.collective.bytes = Bytes(1 + random.below(100));
            plan.scope = schedule::BoundScope::any;
            const Seconds bound = scenarios.bound([&](const simulate::Fabric& fabric) {
                return scenario_bound(plan, fabric, Bounded{});
            });
            EXPECT_GT(bound, Seconds(0));
            std::optional<Seconds> best;
            test::for_every_schedule(
                plan.schedule.collective, test::pieces_of(plan.schedule.collective, 1), {}, most,
                [&](const schedule::Schedule& schedule) {
                    const Seconds limit = best.value_or(Seconds(infinity));
                    if (const auto time = scenarios.makespan(schedule, limit).time) best = time;
                });
            ASSERT_TRUE(best);
            EXPECT_LE(bound.value, best->value * (1 + 1e-9)) << name_of(kind) << " " << n;
            closest = std::max(closest, bound / *best);
        }
    EXPECT_GT(closest, 0.85) << "it says something";
}

}  // namespace
}  // namespace espalier::plan
