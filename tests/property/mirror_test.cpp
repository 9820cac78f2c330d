// Reductions as broadcasts reversed in time: as long, as good, and nothing is better.

#include "schedule/mirror.hpp"
#include "core/random.hpp"
#include "plan/grid/ports.hpp"
#include "schedule/validate.hpp"
#include "simulate/simulate.hpp"
#include "simulate/transposed.hpp"
#include "support/grid_oracle.hpp"
#include "support/grid_problems.hpp"
#include "support/grid_schedules.hpp"
#include "support/hand_schedules.hpp"
#include "support/reduction_oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace espalier {
namespace {

using plan::grid::Order;
using plan::grid::Problem;
using schedule::Ports;
using schedule::Schedule;

const testing::GridRanges shapes[] = {
    {},
    {.latency = {0, 1}, .gap = {0, 1}, .inner = {0, 1}},
    {.latency = {0, 3}, .gap = {0, 0.1}, .inner = {0, 0.1}},
    {.latency = {0, 0.01}, .gap = {0, 1}, .inner = {0, 5}},
};

Problem transposed(const Problem& problem) {
    Problem result = problem;
    for (std::size_t i = 0; i < problem.size(); ++i)
        for (std::size_t j = 0; j < problem.size(); ++j) {
            result.gap(i, j) = problem.gap(j, i);
            result.latency(i, j) = problem.latency(j, i);
        }
    return result;
}

Order random_order(Random& random, const Problem& problem) {
    Order order;
    std::vector<std::size_t> holding{problem.root};
    std::vector<std::size_t> waiting;
    for (std::size_t j = 0; j < problem.size(); ++j)
        if (j != problem.root) waiting.push_back(j);
    while (!waiting.empty()) {
        const auto next =
            waiting.begin() + static_cast<std::ptrdiff_t>(random.below(waiting.size()));
        order.push_back({.from = holding[random.below(holding.size())], .to = *next});
        holding.push_back(*next);
        waiting.erase(next);
    }
    return order;
}

TEST(MirrorProperty, takes_as_long_on_the_transposed_network) {
    Random random(1);
    for (int n = 0; n < 2000; ++n) {
        const Problem problem = testing::random_problem(random, 1 + random.below(8), shapes[n % 4]);
        const network::Network network = testing::network_of(problem);
        const auto fabric = simulate::make_fabric(network);
        Schedule broadcast = testing::schedule_of(problem, random_order(random, problem));
        if (random.below(3) == 0) broadcast.ports.duplex = Ports::Duplex::half;
        broadcast.chunks.front().segments = std::size_t{1} << random.below(4);  // 1000 bytes
        const double expected = simulate::simulate(broadcast, *fabric).makespan.value;
        const Schedule reduction = schedule::mirror(broadcast);
        const double time =
            simulate::simulate(reduction, *simulate::transposed(*fabric)).makespan.value;
        ASSERT_NEAR(time, expected, 1e-12 * std::max(1.0, expected)) << n;
        Schedule between = reduction;
        between.local.clear();
        ASSERT_EQ(schedule::find_violation(between).value_or(schedule::Violation{}).what, "");
    }
}

TEST(MirrorProperty, of_the_best_broadcast_is_the_best_reduction) {
    Random random(2);
    for (int n = 0; n < 400; ++n) {
        const std::size_t clusters = 1 + random.below(n % 8 == 0 ? 6 : 5);
        const Problem network = n % 5 == 0
                                    ? testing::random_problem_with_ties(random, clusters, 4)
                                    : testing::random_problem(random, clusters, shapes[n % 4]);
        const double least = testing::least_reduction_of_all(network);
        ASSERT_NEAR(testing::least_makespan_of_all(transposed(network)), least,
                    1e-12 * std::max(1.0, least))
            << n;
    }
}

TEST(MirrorProperty, of_the_best_broadcast_is_not_beaten_by_sending_partial_results) {
    Random random(3);
    for (int n = 0; n < 300; ++n) {
        const std::size_t clusters = 2 + random.below(3);
        Problem network = testing::random_problem(random, clusters, shapes[n % 4]);
        network.ports = 1 + random.below(4) / 3;
        const double least = testing::least_reduction_in_several_sends(network);
        ASSERT_NEAR(testing::least_makespan_of_all(transposed(network)), least,
                    1e-12 * std::max(1.0, least))
            << n << " on " << network.ports << " ports";
    }
}

}  // namespace
}  // namespace espalier
