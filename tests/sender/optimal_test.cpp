#include "sender/optimal.hpp"
#include "core/random.hpp"
#include "schedule/validate.hpp"
#include "sender/certificate.hpp"
#include "sender/greedy.hpp"
#include "sender/paper_search.hpp"
#include "sender/quick_bound.hpp"
#include "sender/slot_fillings.hpp"
#include "sender/slot_prices.hpp"
#include "sender/verify_certificate.hpp"
#include "simulate/simulate.hpp"
#include "support/sender_problems.hpp"
#include "support/sender_schedules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace espalier::sender {
namespace {

using schedule::Kind;
using ::testing::ElementsAre;

constexpr Limits patient{.time = Seconds(60)};

TEST(Lattice, has_every_sum_of_times_for_a_broadcast_from_anywhere) {
    const TickProblem problem{.kind = Kind::broadcast, .time = {2, 3}, .count = {1, 1}, .root = {}};
    const auto lattice = make_lattice(problem, 7, 100);
    ASSERT_TRUE(lattice);
    EXPECT_THAT(lattice->at, ElementsAre(0, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(lattice->after(0), ElementsAre(1, 2));
    EXPECT_THAT(lattice->after(4), ElementsAre(6, Lattice::none));
    EXPECT_EQ(lattice->last_by(6), 5U);
}

TEST(Lattice, begins_with_the_time_of_a_given_root) {
    const TickProblem problem{.kind = Kind::broadcast, .time = {2, 3}, .count = {1, 1}, .root = 1};
    EXPECT_THAT(make_lattice(problem, 8, 100)->at, ElementsAre(0, 3, 5, 6, 7, 8));
}

TEST(Lattice, lets_each_node_of_a_reduction_send_once) {
    const TickProblem problem{.kind = Kind::reduce, .time = {2, 3}, .count = {1, 3}, .root = 1};
    EXPECT_THAT(make_lattice(problem, 100, 100)->at, ElementsAre(0, 2, 3, 5, 6, 8));
}

TEST(Lattice, gives_up_where_there_are_too_many_points) {
    const TickProblem problem{.kind = Kind::broadcast, .time = {1, 3}, .count = {1, 1}, .root = {}};
    EXPECT_TRUE(make_lattice(problem, 9, 10));
    EXPECT_FALSE(make_lattice(problem, 10, 10));
}

/// In nodes.
double surplus(const TickProblem& problem, Ticks deadline, const std::vector<double>& price) {
    const auto lattice = make_lattice(problem, 100, 1000);
    const Window window(problem, *lattice, lattice->last_by(deadline));
    const auto unit = static_cast<double>(window.unit());
    Valuation valuation;
    for (const double nodes : price)
        valuation.price.push_back(static_cast<std::int64_t>(nodes * unit));
    window.evaluate(valuation);
    return static_cast<double>(window.surplus(valuation, window.start())) / unit;
}

TEST(SlotPrices, count_what_a_binomial_tree_of_like_nodes_reaches) {
    for (const auto kind : {Kind::broadcast, Kind::reduce}) {
        const TickProblem like{.kind = kind, .time = {1}, .count = {100}, .root = 0};
        EXPECT_EQ(surplus(like, 6, {0}), 64 - 100);
        EXPECT_EQ(surplus(like, 7, {0}), 128 - 100);
    }
    const TickProblem ports{
        .kind = Kind::reduce, .time = {1}, .count = {100}, .root = 0, .ports = 2};
    EXPECT_EQ(surplus(ports, 3, {0}), 1 + 2 + 6 + 18 - 100);
}

TEST(SlotPrices, weigh_a_fast_node_against_what_it_is_good_for) {
    // By 4 from a fast node: deliveries at 2 and 4. To the fast node at 2, which delivers at 4 in
    // its turn: three nodes for the price of one. To the slow one at 2: two.
    const TickProblem problem{.kind = Kind::broadcast, .time = {2, 3}, .count = {2, 3}, .root = 0};
    EXPECT_EQ(surplus(problem, 4, {0, 0}), 3 - 4);
    EXPECT_EQ(surplus(problem, 4, {0.5, 0}), 3 - 0.5 + 0.5 - 4);
    EXPECT_EQ(surplus(problem, 4, {1.5, 0}), 2 + 1.5 - 4);
}

TEST(SlotFillings, lists_exactly_those_that_pass_the_tests) {
    Random random(1);
    for (int trial = 0; trial < 500; ++trial) {
        const std::uint64_t slots = random.below(8);
        std::vector<SlotFillings::Class> classes(3);
        for (auto& members : classes)
            members = {slots / 2 + 1 + random.below(3), random.uniform(0, 8)};
        SlotFillings fillings;
        fillings.begin(slots, classes);
        std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> tests;
        for (int test = 0; test < 3; ++test) {
            std::vector<std::int64_t> loss;
            for (int c = 0; c < 3; ++c) loss.push_back(static_cast<std::int64_t>(random.below(4)));
            tests.emplace_back(static_cast<std::int64_t>(random.below(12)), loss);
            fillings.add_test(tests.back().first, loss);
        }
        ASSERT_TRUE(fillings.list(1000));
        std::set<std::vector<std::uint64_t>> listed;
        for (const auto& filling : fillings.fillings()) {
            const auto counts = fillings.counts(filling);
            listed.insert({counts.begin(), counts.end()});
        }
        EXPECT_EQ(listed.size(), fillings.fillings().size());
        std::set<std::vector<std::uint64_t>> expected;
        for (std::uint64_t a = 0; a <= std::min(slots, classes[0].most); ++a)
            for (std::uint64_t b = 0; a + b <= slots && b <= classes[1].most; ++b) {
                const std::vector<std::uint64_t> counts{a, b, slots - a - b};
                if (counts[2] > classes[2].most) continue;
                const bool passes = std::ranges::all_of(tests, [&](const auto& test) {
                    std::int64_t lost = 0;
                    for (std::size_t c = 0; c < 3; ++c)
                        lost += static_cast<std::int64_t>(counts[c]) * test.second[c];
                    return lost <= test.first;
                });
                if (passes) expected.insert(counts);
            }
        EXPECT_EQ(listed, expected);
    }
}

std::uint64_t placed(const Sequence& sequence) {
    return std::accumulate(sequence.runs.begin(), sequence.runs.end(), std::uint64_t{1},
                           [](std::uint64_t sum, const Run& run) { return sum + run.count; });
}

/// A result that claims nothing but what its own sequence and proof show.
void expect_sound(const Problem& problem, const Result& result) {
    EXPECT_EQ(placed(result.sequence), problem.nodes());
    EXPECT_DOUBLE_EQ(result.makespan, makespan_of(problem, result.sequence));
    EXPECT_LE(result.lower_bound, result.makespan);
    if (result.optimal) {
        EXPECT_EQ(result.lower_bound, result.makespan);
    }
}

TEST(Optimal, takes_one_node_and_two) {
    for (const auto kind : {Kind::broadcast, Kind::reduce}) {
        const auto alone = optimal({.kind = kind, .classes = {{5, 1}}, .root = 0}, patient);
        EXPECT_TRUE(alone.optimal);
        EXPECT_EQ(alone.makespan, 0);
        for (const std::size_t root : {0U, 1U}) {
            const Problem pair{.kind = kind, .classes = {{5, 1}, {7, 1}}, .root = root};
            const auto result = optimal(pair, patient);
            EXPECT_TRUE(result.optimal);
            EXPECT_EQ(result.makespan, (kind == Kind::broadcast) == (root == 0) ? 5 : 7);
        }
    }
}

TEST(Optimal, beats_the_fastest_first_from_a_slow_root) {
    // liu-2002's Theorem 4.3 holds for any root only.
    const Problem problem{.kind = Kind::broadcast, .classes = {{2, 2}, {3, 5}}, .root = 1};
    EXPECT_EQ(fastest_node_first(problem).makespan, 9);
    const auto result = optimal(problem, patient);
    EXPECT_TRUE(result.optimal);
    EXPECT_EQ(result.makespan, 8);
}

TEST(Optimal, beats_what_corollary_1_of_liu_2000_allows) {
    const Problem problem{.kind = Kind::reduce, .classes = {{2, 4}, {3, 5}}, .root = 1};
    const auto result = optimal(problem, patient);
    EXPECT_TRUE(result.optimal);
    EXPECT_EQ(result.makespan, 8);
}

TEST(Optimal, agrees_with_the_papers_search_beyond_what_brute_force_can) {
    Random random(7);
    for (const auto kind : {Kind::broadcast, Kind::reduce})
        for (int trial = 0; trial < 600; ++trial) {
            const test::RandomNodes shape{.least = 10,
                                          .most = 14,
                                          .classes = 2 + random.below(3),
                                          .slowest = trial % 4 < 2 ? 5.0 : 15.0,
                                          .real = trial % 2 == 0,
                                          .any_root = trial % 3 == 0,
                                          .ports = trial % 5 == 4 ? 2U : 1U};
            const auto problem = test::random_nodes(random, kind, shape);
            const auto result = optimal(problem, patient);
            expect_sound(problem, result);
            EXPECT_TRUE(result.optimal);
            EXPECT_DOUBLE_EQ(result.makespan, paper_search(problem, patient).makespan);
        }
}

TEST(Optimal, makes_schedules_that_do_their_job_and_take_as_long_as_it_says) {
    Random random(3);
    for (const auto kind : {Kind::broadcast, Kind::reduce})
        for (const std::size_t ports : {1U, 2U, 3U}) {
            const test::RandomNodes shape{
                .least = 60, .most = 60, .classes = 4, .real = true, .ports = ports};
            const auto problem = test::random_nodes(random, kind, shape);
            const auto result = optimal(problem, patient);
            expect_sound(problem, result);
            EXPECT_DOUBLE_EQ(test::simulated(problem, result.sequence), result.makespan);
        }
}

TEST(Optimal, proves_a_million_nodes) {
    const std::vector<Problem::Class> classes{
        {1.37, 120'000}, {2.11, 330'000}, {5.03, 250'000}, {8.9, 300'000}};
    for (const auto& problem : {Problem{.kind = Kind::broadcast, .classes = classes, .root = {}},
                                Problem{.kind = Kind::broadcast, .classes = classes, .root = 3},
                                Problem{.kind = Kind::reduce, .classes = classes, .root = 3}}) {
        const auto result = optimal(problem, patient);
        expect_sound(problem, result);
        EXPECT_TRUE(result.optimal);
        ASSERT_TRUE(result.proof);
        EXPECT_EQ(test::flaw_of(problem, *result.proof), std::nullopt);
        EXPECT_TRUE(proves_optimal(test::certificate_of(problem, *result.proof), result.makespan));
    }
}

TEST(Optimal, stays_sound_where_times_and_counts_differ_by_a_trillion) {
    const std::vector<std::vector<Problem::Class>> cases{
        {{1, 3}, {1e12, 5}},
        {{1e-6, 100}, {1, 1000}, {1e6, 1000}},
        {{1, 1'000'000'000'000}, {1.7, 1'000'000}, {2.3, 5}},
        {{1, 2}, {1'000'003.14159, 1000}, {2'718'281.828, 3000}},
        {{1, 1000}, {1.0000001, 1000}, {1.0000003, 1000}, {1.0000007, 1000}}};
    for (const auto& classes : cases)
        for (const auto kind : {Kind::broadcast, Kind::reduce})
            for (std::size_t root = 0; root < classes.size(); ++root) {
                const Problem problem{.kind = kind, .classes = classes, .root = root};
                const auto result = optimal(problem, patient);
                expect_sound(problem, result);
                EXPECT_TRUE(result.optimal);
            }
}

TEST(Optimal, bounds_a_thousand_whole_times_better_than_at_a_glance) {
    std::vector<Problem::Class> classes;
    for (int time = 1; time <= 1000; ++time) classes.push_back({static_cast<double>(time), 1});
    const Problem problem{.kind = Kind::broadcast, .classes = classes, .root = {}};
    const auto result = optimal(problem, {.time = Seconds(1e6), .work = 100'000'000});
    expect_sound(problem, result);
    EXPECT_GT(result.lower_bound, 1.03 * quick_bound(problem));
    ASSERT_TRUE(result.proof);
    EXPECT_EQ(result.proof->bound(), result.lower_bound);
}

TEST(Optimal, takes_thousands_of_classes_and_no_time) {
    std::vector<Problem::Class> classes;
    Random random(5);
    for (int i = 0; i < 2000; ++i)
        classes.push_back({1 + (i + random.uniform()) / 200, 1 + random.below(900)});
    for (const auto kind : {Kind::broadcast, Kind::reduce})
        for (const double time : {0.0, 0.05}) {
            const Problem problem{.kind = kind, .classes = classes, .root = classes.size() - 1};
            const auto result = optimal(problem, {.time = Seconds(time)});
            expect_sound(problem, result);
            EXPECT_GT(result.lower_bound, 0);
        }
}

}  // namespace
}  // namespace espalier::sender
