#include "sender/paper_search.hpp"
#include "support/sender_oracle.hpp"
#include "support/sender_problems.hpp"

#include <gtest/gtest.h>

namespace espalier::sender {
namespace {

using test::RandomNodes;

/// The techniques that the bits of `subset` switch on.
Techniques subset_of_techniques(unsigned subset) {
    Techniques chosen;
    for (const Technique& technique : techniques()) {
        chosen.*technique.flag = (subset & 1U) != 0;
        subset >>= 1U;
    }
    chosen.equal = (subset & 1U) != 0;
    return chosen;
}

Limits no_limit() { return {.time = Seconds(1e6)}; }

void finds_the_optimum_of(const std::function<double(const Problem&)>& oracle, std::size_t most,
                          int trials, std::uint64_t seed) {
    Random random(seed);
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce})
        for (const bool any_root : {true, false})
            for (const std::size_t ports : {1U, 2U, 3U})
                for (int trial = 0; trial < trials; ++trial) {
                    const RandomNodes shape{.most = most,
                                            .classes = 1 + random.below(5),
                                            .slowest = trial % 3 == 0 ? 4.0 : 12.0,
                                            .real = trial % 2 == 0,
                                            .any_root = any_root,
                                            .ports = ports};
                    const auto problem = test::random_nodes(random, kind, shape);
                    const double least = oracle(problem);
                    for (unsigned subset = 0; subset < 16; ++subset) {
                        const auto result =
                            paper_search(problem, no_limit(), subset_of_techniques(subset));
                        ASSERT_TRUE(result.optimal);
                        ASSERT_DOUBLE_EQ(result.makespan, least)
                            << name_of(kind) << " on " << ports << " ports, techniques " << subset;
                        ASSERT_DOUBLE_EQ(result.makespan, makespan_of(problem, result.sequence));
                        ASSERT_DOUBLE_EQ(result.lower_bound, result.makespan);
                    }
                }
}

TEST(PaperSearch, finds_the_best_of_all_trees_with_any_techniques) {
    finds_the_optimum_of([](const Problem& p) { return test::least_makespan_of_trees(p); }, 6, 150,
                         1);
}

TEST(PaperSearch, finds_the_best_of_all_orders_with_any_techniques) {
    finds_the_optimum_of(test::least_makespan_of_orders, 8, 70, 2);
}

TEST(PaperSearch, is_not_led_astray_by_what_fails_in_the_papers) {
    // Against Theorem 4.3 and 4.2 for the root's own sends, and against Corollary 1 as printed.
    for (const auto& problem :
         {test::nodes_of(schedule::Kind::broadcast, {2, 2, 3, 3, 3, 3, 3}, 3),
          test::nodes_of(schedule::Kind::reduce, {2, 2, 2, 2, 3, 3, 3, 3, 3}, 3)})
        for (unsigned subset = 0; subset < 16; ++subset)
            EXPECT_DOUBLE_EQ(
                paper_search(problem, no_limit(), subset_of_techniques(subset)).makespan, 8)
                << name_of(problem.kind) << ", techniques " << subset;
}

TEST(PaperSearch, counts_the_whole_tree_without_any_technique) {
    // Nodes a, a, b, with any root: 3 orders, a-a-b, a-b-a and b-a-a, and 2 + 3 + 3 beginnings.
    const auto any = test::nodes_of(schedule::Kind::broadcast, {1, 1, 2});
    const auto whole = paper_search(any, no_limit(), subset_of_techniques(0));
    EXPECT_EQ(whole.effort.leaves, 3U);
    EXPECT_EQ(whole.effort.nodes, 8U);
    EXPECT_EQ(paper_search(any, no_limit()).effort.nodes, 3U);
}

TEST(PaperSearch, does_never_look_at_more_with_a_technique_more) {
    Random random(3);
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce})
        for (int trial = 0; trial < 50; ++trial) {
            const auto problem = test::random_nodes(random, kind, {.least = 6, .most = 9});
            const auto nodes = [&](Techniques chosen) {
                return paper_search(problem, no_limit(), chosen).effort.nodes;
            };
            EXPECT_LE(nodes({.equal = true}), nodes({}));
            EXPECT_LE(nodes({}), nodes({.bound = false}));
            EXPECT_LE(nodes({.bound = false}), nodes({.exchange = false, .bound = false}));
        }
}

TEST(PaperSearch, hands_out_the_best_that_it_has_when_it_is_cut_short) {
    Random random(4);
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce}) {
        const auto problem =
            test::random_nodes(random, kind, {.least = 40, .most = 40, .classes = 40});
        const auto at_once = paper_search(problem, {.time = Seconds(0)});
        EXPECT_FALSE(at_once.optimal);
        EXPECT_EQ(at_once.lower_bound, 0);
        EXPECT_GT(at_once.makespan, 0);
        const auto soon = paper_search(problem, {.time = Seconds(60), .work = 50'000});
        EXPECT_FALSE(soon.optimal);
        EXPECT_LE(soon.effort.nodes, 50'000U);
        EXPECT_LE(soon.makespan, at_once.makespan);
        EXPECT_DOUBLE_EQ(soon.makespan, makespan_of(problem, soon.sequence));
    }
}

TEST(PaperSearch, plans_for_one_node_and_for_millions) {
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce}) {
        const auto one = paper_search(test::nodes_of(kind, {3}, 3), no_limit());
        EXPECT_TRUE(one.optimal);
        EXPECT_EQ(one.makespan, 0);
        const Problem many{.kind = kind,
                           .classes = {{1, 4'000'000'000}, {2.5, 3'000'000'000}},
                           .root = 1,
                           .ports = 1};
        const auto result = paper_search(many, no_limit());
        EXPECT_FALSE(result.optimal);
        EXPECT_GT(result.makespan, 0);
    }
}

}  // namespace
}  // namespace espalier::sender
