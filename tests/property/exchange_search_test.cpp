// What holds for the search of total exchanges whatever the problem.
#include "plan/exchange/list_search.hpp"
#include "support/exchange_problems.hpp"
#include "support/plan_within.hpp"

#include <gtest/gtest.h>

namespace espalier::plan::exchange {
namespace {

using test::all_times;
using test::random_times;
using test::StatedExchange;
using test::Times;

TEST(ListSearch, makes_valid_schedules_at_or_above_the_bound) {
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
            const Found found = test::plan_within(limits, list_search, exchange.problem());
            EXPECT_EQ(found.order.size(), exchange.problem().messages.size());
            EXPECT_GE(exchange.makespan(found), exchange.bound() * (1 - 1e-12));
        }
}

}  // namespace
}  // namespace espalier::plan::exchange
