#include "core/random.hpp"
#include "sender/certificate.hpp"
#include "sender/optimal.hpp"
#include "sender/slot_prices.hpp"
#include "sender/slot_search.hpp"
#include "sender/verify_certificate.hpp"
#include "support/sender_oracle.hpp"
#include "support/sender_problems.hpp"
#include "support/sender_schedules.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace espalier::sender {
namespace {

using schedule::Kind;

using Visit = std::function<void(const Problem&, Random&)>;

/// Whole, real and decimal times, one to three ports, any and a given root, both kinds.
void for_problems(std::size_t most_nodes, int trials, std::uint64_t seed, const Visit& visit) {
    Random random(seed);
    for (const auto kind : {Kind::broadcast, Kind::reduce})
        for (const bool any_root : {true, false})
            for (const std::size_t ports : {1U, 2U, 3U})
                for (int trial = 0; trial < trials; ++trial) {
                    const test::RandomNodes shape{.most = most_nodes,
                                                  .classes = 1 + random.below(5),
                                                  .slowest = trial % 3 == 0 ? 4.0 : 20.0,
                                                  .real = trial % 2 == 0,
                                                  .any_root = any_root,
                                                  .ports = ports};
                    auto problem = test::random_nodes(random, kind, shape);
                    if (trial % 5 == 0)  // 0.1 and 0.2 make more than 0.3
                        for (auto& members : problem.classes) members.time *= 0.1;
                    visit(problem, random);
                }
}

void finds_the_optimum_of(const std::function<double(const Problem&)>& oracle, std::size_t most,
                          int trials, std::uint64_t seed) {
    for_problems(most, trials, seed, [&](const Problem& problem, Random&) {
        const auto result = optimal(problem, {.time = Seconds(60)});
        ASSERT_TRUE(result.optimal);
        ASSERT_DOUBLE_EQ(result.makespan, oracle(problem));
        ASSERT_DOUBLE_EQ(result.makespan, makespan_of(problem, result.sequence));
    });
}

TEST(OptimalProperty, is_the_best_of_all_trees) {
    finds_the_optimum_of([](const Problem& p) { return test::least_makespan_of_trees(p); }, 6, 200,
                         11);
}

TEST(OptimalProperty, is_the_best_of_all_orders) {
    finds_the_optimum_of(test::least_makespan_of_orders, 9, 600, 12);
}

TEST(OptimalProperty, bounds_stay_below_the_optimum_however_little_time_there_is) {
    int open = 0;
    for (const double time : {0.0, 1e-5, 1e-3})
        for_problems(8, 30, 13, [&](const Problem& problem, Random&) {
            const auto result = optimal(problem, {.time = Seconds(time)});
            const double least = test::least_makespan_of_orders(problem);
            ASSERT_LE(result.lower_bound, least * (1 + 1e-12));
            ASSERT_GE(result.makespan, least * (1 - 1e-12));
            if (result.optimal) {
                ASSERT_DOUBLE_EQ(result.makespan, least);
            }
            ASSERT_DOUBLE_EQ(result.makespan, makespan_of(problem, result.sequence));
            if (!result.optimal) ++open;
        });
    EXPECT_GT(open, 0) << "no time was too short";
}

TEST(OptimalProperty, no_prices_exclude_what_a_schedule_does) {
    for_problems(7, 40, 14, [](const Problem& problem, Random& random) {
        const double least = test::least_makespan_of_orders(problem);
        const TickProblem ticks = in_ticks(problem, least);
        const auto lattice = make_lattice(ticks, ticks.horizon, 100'000);
        ASSERT_TRUE(lattice);
        const Window window(ticks, *lattice, lattice->last_by(ticks.horizon));
        for (int trial = 0; trial < 20; ++trial) {
            Valuation valuation;
            for (std::size_t c = 0; c < ticks.classes(); ++c)
                valuation.price.push_back(static_cast<std::int64_t>(
                    random.uniform(0, 4) * static_cast<double>(window.unit())));
            window.evaluate(valuation);
            ASSERT_GE(window.surplus(valuation, window.start()), 0);
        }
    });
}

TEST(OptimalProperty, a_narrow_search_excludes_nothing_that_there_is) {
    int missed = 0;
    for_problems(40, 300, 16, [&](const Problem& problem, Random& random) {
        const auto best = optimal(problem, {.time = Seconds(60)});
        ASSERT_TRUE(best.optimal);
        const TickProblem ticks = in_ticks(problem, best.makespan);
        const auto lattice = make_lattice(ticks, ticks.horizon, 100'000);
        ASSERT_TRUE(lattice);
        const Ticks makespan =
            run_course(problem, best.sequence, std::span<const Ticks>(ticks.time)).makespan;
        const Window window(ticks, *lattice, lattice->last_by(makespan));
        Meter meter({.time = Seconds(60)});
        Pricer pricer(window, meter, 4);
        SlotSearch search(window, pricer, meter);
        Effort effort;
        const auto verdict =
            search.run({.width = 1, .fillings = random.below(2) == 0 ? 2U : 512U}, effort);
        ASSERT_FALSE(verdict.excluded);
        if (!verdict.sequence) ++missed;
    });
    EXPECT_GT(missed, 0) << "none was too narrow";
}

TEST(OptimalProperty, proofs_stand_up_to_the_independent_check) {
    int proofs = 0;
    for_problems(40, 30, 15, [&](const Problem& problem, Random&) {
        const auto result = optimal(problem, {.time = Seconds(0.2)});
        if (!result.proof) return;
        ++proofs;
        ASSERT_EQ(test::flaw_of(problem, *result.proof), std::nullopt);
        ASSERT_LE(test::certificate_of(problem, *result.proof).lower_bound(),
                  result.makespan * (1 + 1e-12));
    });
    EXPECT_GT(proofs, 100);
}

}  // namespace
}  // namespace espalier::sender
