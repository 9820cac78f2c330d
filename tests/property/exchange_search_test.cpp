// What holds for the searching planners of total exchanges whatever the problem.
#include "plan/exchange/list_search.hpp"
#include "plan/exchange/optimal.hpp"
#include "support/exchange_problems.hpp"

#include <gtest/gtest.h>

namespace espalier::plan::exchange {
namespace {

using testing::all_times;
using testing::random_times;
using testing::StatedExchange;
using testing::Times;

TEST(ExchangeSearch, makes_valid_schedules_at_or_above_the_bound) {
    Random random(1);
    Limits limits;
    limits.work = 30'000;
    for (int round = 0; round < 25; ++round)
        for (const Times times : all_times) {
            const std::size_t nodes = 1 + random.below(9);
            const auto latencies =
                random.below(2) == 0 ? random_times(random, nodes, Times::even) : Matrix<double>();
            const StatedExchange exchange(random_times(random, nodes, times), latencies,
                                          1 + random.below(2));
            for (const Planner planner : {list_search, optimal}) {
                const Found found = planner(exchange.problem(), limits);
                EXPECT_EQ(found.order.size(), exchange.problem().messages.size());
                EXPECT_GE(exchange.makespan(found), exchange.bound() * (1 - 1e-12));
            }
        }
}

TEST(ExchangeSearch, proven_plans_are_not_beaten_by_any_other) {
    Random random(2);
    Limits limits;
    limits.work = 3'000'000;
    for (int round = 0; round < 10; ++round)
        for (const Times times : all_times) {
            const StatedExchange exchange(random_times(random, 2 + random.below(4), times));
            const Found best = optimal(exchange.problem(), limits);
            if (!best.optimal || exchange.problem().messages.empty()) continue;
            Order order = best.order;
            for (int trial = 0; trial < 20; ++trial) {
                std::swap(order[random.below(order.size())], order[random.below(order.size())]);
                EXPECT_GE(exchange.makespan({.order = order}),
                          exchange.makespan(best) * (1 - 1e-9));
            }
        }
}

}  // namespace
}  // namespace espalier::plan::exchange
