#include "sender/plan.hpp"

#include "core/error.hpp"
#include "core/random.hpp"
#include "network/generate.hpp"
#include "plan/check_plan.hpp"
#include "sender/algorithm.hpp"
#include "sender/optimal.hpp"
#include "sender/quick_bound.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace espalier::sender {
namespace {

using schedule::Kind;

network::Network random_network(Random& random, std::size_t round) {
    const std::size_t nodes = 1 + random.below(12);
    return network::Network(network::random_senders(
        {.nodes = nodes, .classes = std::min(nodes, round % 4), .integer = round % 2 == 0},
        random));
}

TEST(SenderPlans, expand_to_valid_schedules_that_take_the_time_they_claim) {
    Random random(3);
    for (std::size_t round = 0; round < 60; ++round) {
        const network::Network network = random_network(random, round);
        for (const Algorithm& algorithm : algorithms())
            for (const Kind kind : algorithm.collectives) {
                Request request;
                request.kind = kind;
                request.algorithm = algorithm.name;
                request.ports = 1 + round % 2;
                if (round % 4 == 1) request.root = random.below(network.sender()->size());
                const Plan compact = make_plan(*network.sender(), request);
                const schedule::Plan plan = compact.expand(network);
                EXPECT_NEAR(plan.timeline.makespan.value, compact.result.makespan,
                            1e-9 * compact.result.makespan);
                EXPECT_LE(plan.lower_bound, plan.timeline.makespan);
                EXPECT_EQ(plan.schedule.collective.root,
                          request.root.value_or(plan.schedule.collective.root));
                const auto check = plan::check_plan({plan, true, true}, network, "plan");
                EXPECT_EQ(check.violation, std::nullopt);
            }
    }
}

TEST(SenderPlans, the_quick_bound_is_never_over_the_optimum) {
    Random random(4);
    double tightest = 0;
    for (std::size_t round = 0; round < 200; ++round) {
        const network::Network network = random_network(random, round);
        for (const Kind kind : {Kind::broadcast, Kind::reduce}) {
            std::optional<std::size_t> root;
            if (round % 2 == 1) root = random.below(network.sender()->size());
            const auto problem = make_problem(*network.sender(), kind, root, 1 + round % 3);
            const auto best = optimal(problem, {});
            ASSERT_TRUE(best.optimal);
            const double bound = quick_bound(problem);
            EXPECT_LE(bound, best.makespan);
            if (best.makespan > 0 && problem.classes.size() > 2)
                tightest = std::max(tightest, bound / best.makespan);
        }
    }
    EXPECT_GT(tightest, 0.9);
}

TEST(SenderPlans, refuse_names_of_another_kind) {
    const network::SenderNetwork network{"s", {{"a", 1, 3, false}}};
    EXPECT_THROW((void)make_plan(network, {.kind = Kind::reduce, .algorithm = "fnf"}), InputError);
    EXPECT_THROW((void)make_plan(network, {.algorithm = "ecef"}), InputError);
}

}  // namespace
}  // namespace espalier::sender
