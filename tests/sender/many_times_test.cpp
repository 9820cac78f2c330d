// Searches for problems with too many different times for a lattice of their sums.

#include "sender/deadline_search.hpp"
#include "sender/greedy.hpp"
#include "sender/many_classes.hpp"
#include "support/sender_oracle.hpp"
#include "support/sender_problems.hpp"
#include "support/sender_schedules.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace espalier::sender {
namespace {

using espalier::test::flaw_of;
using espalier::test::least_makespan_of_orders;
using espalier::test::nodes_of;
using espalier::test::random_nodes;
using espalier::test::simulated;

Result distinct(const Problem& problem, const Limits& limits) {
    return distinct_search(problem, limits, greedy(problem));
}
Result many(const Problem& problem, const Limits& limits) {
    return many_classes(problem, limits, greedy(problem));
}

constexpr auto kinds = {schedule::Kind::broadcast, schedule::Kind::reduce};
constexpr Limits some_work{.time = Seconds(1e6), .work = 80'000'000};

std::vector<double> distinct_times(Random& random, std::size_t nodes, bool real) {
    std::set<double> times;
    while (times.size() < nodes)
        times.insert(real ? random.uniform(1, 10) : static_cast<double>(1 + random.below(100)));
    return {times.begin(), times.end()};
}

/// Up to seven nodes, with every kind of times, roots and ports.
void for_problems(std::size_t rounds, const std::function<void(const Problem&)>& visit) {
    Random random(1);
    for (std::size_t round = 0; round < rounds; ++round)
        for (const auto kind : kinds)
            for (const bool any_root : {true, false})
                for (const bool real : {true, false})
                    visit(random_nodes(random, kind,
                                       {.least = 2,
                                        .most = 7,
                                        .classes = 1 + random.below(9),
                                        .real = real,
                                        .any_root = any_root,
                                        .ports = 1 + random.below(3)}));
}

void expect_true_claims(const Problem& problem, const Result& result, double least) {
    EXPECT_LE(result.lower_bound, least * (1 + 1e-12));
    EXPECT_GE(result.makespan, least * (1 - 1e-12));
    EXPECT_NEAR(simulated(problem, result.sequence), result.makespan, 1e-9 * result.makespan);
    if (result.optimal) {
        EXPECT_NEAR(result.makespan, least, 1e-9 * least);
        EXPECT_EQ(result.lower_bound, result.makespan);
    }
    if (result.proof) {
        EXPECT_EQ(flaw_of(problem, *result.proof), std::nullopt);
        EXPECT_LE(result.proof->bound(), least * (1 + 1e-12));
    }
}

TEST(ManyTimes, are_bounded_by_no_more_than_trying_everything_finds) {
    for_problems(3, [](const Problem& problem) {
        const double least = least_makespan_of_orders(problem);
        for (const auto search : {distinct, many})
            for (const Limits limits :
                 {Limits{.time = Seconds(0)}, Limits{.work = 0}, Limits{.work = 100'000},
                  Limits{.work = 3'000'000}, Limits{.work = 10'000'000}})
                expect_true_claims(problem, search(problem, limits), least);
    });
}

TEST(ManyTimes, may_differ_by_a_million_million) {
    for (const auto kind : kinds)
        for (const double root : {1.0, 1e12})
            for (const auto& times : {std::vector<double>{1, 2.5, 3, 1e12, 7},
                                      std::vector<double>{1, 2.5, 3, 1e12, 1e6, 7}}) {
                const Problem problem = nodes_of(kind, times, root);
                const double least = least_makespan_of_orders(problem);
                for (const auto search : {distinct, many}) {
                    const Result result = search(problem, {.work = 100'000'000});
                    expect_true_claims(problem, result, least);
                    EXPECT_GT(result.lower_bound, 0);
                }
                EXPECT_TRUE(distinct(problem, {.work = 100'000'000}).optimal || times.size() > 5);
            }
}

TEST(ManyTimes, of_one_node_are_no_problem) {
    for (const auto kind : kinds)
        for (const auto search : {distinct, many}) {
            const Result result = search(nodes_of(kind, {5}, 5.0), {});
            EXPECT_TRUE(result.optimal);
            EXPECT_EQ(result.makespan, 0);
        }
}

TEST(DistinctSearch, finds_and_proves_what_trying_everything_finds) {
    for_problems(5, [](const Problem& problem) {
        const Result result = distinct(problem, {.work = 300'000'000});
        EXPECT_TRUE(result.optimal);
        expect_true_claims(problem, result, least_makespan_of_orders(problem));
    });
}

TEST(DistinctSearch, proves_broadcasts_among_sixteen_distinct_nodes) {
    Random random(2);
    for (const bool real : {true, false}) {
        const Problem problem =
            nodes_of(schedule::Kind::broadcast, distinct_times(random, 16, real));
        const Result result = distinct(problem, {.time = Seconds(1e6)});
        EXPECT_TRUE(result.optimal);
        EXPECT_TRUE(result.proof);
        expect_true_claims(problem, result, result.makespan);
    }
}

TEST(ManyClasses, comes_within_some_per_cent_of_its_bound_among_thousands_of_distinct_nodes) {
    for (const auto kind : kinds) {
        Random random(2);
        std::vector<double> times;
        for (int i = 0; i < 3000; ++i) times.push_back(random.uniform(1, 10));
        const auto root = kind == schedule::Kind::reduce ? std::optional(times[100]) : std::nullopt;
        const Problem problem = nodes_of(kind, times, root);
        const Result result = many(problem, some_work);
        const Result first = greedy(problem);
        EXPECT_LE(result.makespan, first.makespan);
        if (problem.is_broadcast()) {
            EXPECT_LT(result.makespan, 0.99 * first.makespan);
        }
        EXPECT_LT(result.makespan, 1.06 * result.lower_bound);
        EXPECT_TRUE(result.proof);
        expect_true_claims(problem, result, result.makespan);
    }
}

TEST(ManyClasses, takes_a_million_million_nodes_of_two_classes) {
    const Problem problem{.classes = {{1.0, 1'000'000'000'000}, {1.37, 1'000'000'000'000}}};
    const Result result = many(problem, {.work = 30'000'000});
    EXPECT_LE(result.lower_bound, result.makespan);
    EXPECT_GT(result.lower_bound, 0.9 * result.makespan);
}

}  // namespace
}  // namespace espalier::sender
