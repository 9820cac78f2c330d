// Rings for all-gathers, against all rings where there are few nodes.
#include "core/random.hpp"
#include "plan/gather/bound.hpp"
#include "plan/gather/improve.hpp"
#include "plan/gather/rings.hpp"
#include "plan/stated_fabric.hpp"
#include "support/plan_within.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace espalier::plan::gather {
namespace {

using stated::add_random_shares;
using stated::block;
using stated::is_ring;
using stated::Least;
using stated::least_of_all;
using stated::random_fabric;
using stated::stated_value;
using stated::StatedFabric;

const Limits limits{Seconds(60), 20'000'000};

TEST(GatherRing, has_the_fastest_slowest_step_and_then_the_least_sum_of_all_rings_of_few_nodes) {
    Random random(1);
    for (int trial = 0; trial < 120; ++trial) {
        StatedFabric fabric = random_fabric(random, 2 + random.below(6));
        if (trial % 2 == 1) add_random_shares(fabric, random);
        const Problem problem = make_problem(fabric, block);
        const Least least = least_of_all(fabric);
        const Order slowest = test::plan_within(limits, by_slowest_step, problem);
        ASSERT_TRUE(is_ring(slowest, fabric.nodes()));
        const Value value = stated_value(fabric, slowest);
        EXPECT_NEAR(value.slowest, least.by_slowest.slowest, 1e-9);
        EXPECT_NEAR(value.sum, least.by_slowest.sum, 1e-9);
        const Order shortest = test::plan_within(limits, by_sum, problem);
        ASSERT_TRUE(is_ring(shortest, fabric.nodes()));
        EXPECT_NEAR(stated_value(fabric, shortest).sum, least.sum, 1e-9);
    }
}

TEST(GatherRing, passes_every_node_however_many_are_unlike) {
    Random random(12);
    for (std::size_t nodes = 8; nodes <= 20; ++nodes) {
        const StatedFabric fabric = random_fabric(random, nodes);
        const Problem problem = make_problem(fabric, block);
        EXPECT_TRUE(is_ring(test::plan_within(limits, by_sum, problem), nodes)) << nodes;
        EXPECT_TRUE(is_ring(test::plan_within(limits, by_slowest_step, problem), nodes)) << nodes;
    }
}

TEST(GatherRing, has_the_value_that_its_definition_says) {
    Random random(2);
    for (int trial = 0; trial < 50; ++trial) {
        StatedFabric fabric = random_fabric(random, 2 + random.below(9));
        add_random_shares(fabric, random);
        const Problem problem = make_problem(fabric, block);
        const Order order = test::plan_within(limits, in_rank_order, problem);
        const Value value = value_of(problem, order);
        EXPECT_NEAR(value.slowest, stated_value(fabric, order).slowest, 1e-12);
        EXPECT_NEAR(value.sum, stated_value(fabric, order).sum, 1e-9);
    }
}

/// `sizes[c]` nodes of class c; costs between two nodes are those of their classes.
StatedFabric of_classes(const Matrix<double>& gaps, const std::vector<std::size_t>& sizes) {
    std::vector<std::size_t> class_of;
    for (std::size_t c = 0; c < sizes.size(); ++c) class_of.insert(class_of.end(), sizes[c], c);
    StatedFabric fabric(class_of.size());
    for (std::size_t i = 0; i < class_of.size(); ++i)
        for (std::size_t j = 0; j < class_of.size(); ++j)
            fabric.gaps(i, j) = gaps(class_of[i], class_of[j]);
    return fabric;
}

/// The ring that improving the network's own order comes to.
Order improved(const Problem& problem) {
    Meter meter(limits);
    return improve(problem, Aim::slowest, test::plan_within(limits, in_rank_order, problem), meter);
}

TEST(GatherImprovement, visits_classes_of_like_nodes_as_often_as_the_best_ring_does) {
    Random random(4);
    for (int trial = 0; trial < 100; ++trial) {
        const std::size_t classes = 2 + random.below(3);
        std::vector<std::size_t> sizes(classes, 1);
        for (std::size_t more = 7 - classes; more > 0; --more) ++sizes[random.below(classes)];
        Matrix<double> gaps(classes, classes, 0);
        for (std::size_t a = 0; a < classes; ++a)
            for (std::size_t b = 0; b < classes; ++b)
                gaps(a, b) = static_cast<double>(1 + random.below(8));
        const StatedFabric fabric = of_classes(gaps, sizes);
        const Order order = improved(make_problem(fabric, block));
        ASSERT_TRUE(is_ring(order, fabric.nodes()));
        EXPECT_EQ(stated_value(fabric, order).slowest, least_of_all(fabric).by_slowest.slowest);
    }
}

TEST(GatherRing, passes_a_hub_between_any_two_others) {
    // Eight lone nodes that are near to the hub's eight only.
    constexpr std::size_t lone = 8;
    Matrix<double> gaps(1 + lone, 1 + lone, 9);
    for (std::size_t other = 0; other <= lone; ++other) gaps(0, other) = gaps(other, 0) = 1;
    std::vector<std::size_t> sizes(1 + lone, 1);
    sizes.front() = lone;
    const StatedFabric fabric = of_classes(gaps, sizes);
    const Problem problem = make_problem(fabric, block);
    EXPECT_EQ(value_of(problem, test::plan_within(limits, by_slowest_step, problem)).slowest, 1);
}

TEST(GatherImprovement, finds_nearly_always_the_best_ring_of_few_nodes) {
    Random random(5);
    std::size_t best = 0;
    constexpr std::size_t trials = 100;
    for (std::size_t trial = 0; trial < trials; ++trial) {
        StatedFabric fabric = random_fabric(random, 4 + random.below(4));
        if (trial % 2 == 1) add_random_shares(fabric, random);
        const Problem problem = make_problem(fabric, block);
        const Order order = improved(problem);
        ASSERT_TRUE(is_ring(order, fabric.nodes()));
        const double found = stated_value(fabric, order).slowest;
        const double least = least_of_all(fabric).by_slowest.slowest;
        EXPECT_GE(found, least - 1e-9);
        if (found <= least + 1e-9) ++best;
    }
    EXPECT_GE(best, trials - 2);
}

TEST(GatherRing, of_many_nodes_is_never_slower_than_by_the_sum_or_in_order_and_near_its_bound) {
    Random random(6);
    const Limits few{Seconds(60), 2'000'000};
    for (int trial = 0; trial < 4; ++trial) {
        StatedFabric fabric = random_fabric(random, 20 + random.below(12));
        for (std::size_t i = 0; i < fabric.nodes(); ++i)
            for (std::size_t j = 0; j < fabric.nodes(); ++j)
                fabric.gaps(i, j) = random.uniform(1, 10);
        const Problem problem = make_problem(fabric, block);
        const Order found = test::plan_within(few, by_slowest_step, problem);
        ASSERT_TRUE(is_ring(found, fabric.nodes()));
        const double slowest = value_of(problem, found).slowest;
        EXPECT_LE(slowest, value_of(problem, test::plan_within(few, by_sum, problem)).slowest);
        EXPECT_LE(slowest,
                  value_of(problem, test::plan_within(limits, in_rank_order, problem)).slowest);
        Meter meter(limits);
        const double bound = slowest_step_bound(problem, meter);
        EXPECT_GE(slowest, bound);
        EXPECT_LE(slowest, 1.25 * bound);
    }
}

TEST(GatherRing, has_hosts_of_a_cluster_and_ranks_of_a_host_side_by_side) {
    // Ranks dealt out over three clusters of two hosts with two ranks each, as a bad launcher does.
    constexpr std::size_t nodes = 12;
    StatedFabric fabric(nodes);
    const auto cluster = [](std::size_t node) { return node % 3; };
    const auto host = [](std::size_t node) { return node % 6; };
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j)
            fabric.gaps(i, j) = host(i) == host(j) ? 0.1 : cluster(i) == cluster(j) ? 1 : 10;
    const Order order = test::plan_within(limits, by_slowest_step, make_problem(fabric, block));
    ASSERT_TRUE(is_ring(order, nodes));
    std::size_t between_clusters = 0;
    std::size_t between_hosts = 0;
    for (std::size_t place = 0; place < nodes; ++place) {
        const std::size_t next = order[(place + 1) % nodes];
        if (cluster(order[place]) != cluster(next)) ++between_clusters;
        if (host(order[place]) != host(next)) ++between_hosts;
    }
    EXPECT_EQ(between_clusters, 3u);
    EXPECT_EQ(between_hosts, 6u);
}

TEST(GatherRing, crosses_a_shared_link_as_seldom_as_can_be) {
    // Gaps alone would as soon go to and fro; more than 8 nodes, so that nothing is enumerated.
    constexpr std::size_t nodes = 12;
    StatedFabric fabric(nodes);
    const auto side = [](std::size_t node) { return node % 2; };
    fabric.share(50, [&](std::size_t i, std::size_t j) { return side(i) < side(j); });
    const Problem problem = make_problem(fabric, block);
    EXPECT_DOUBLE_EQ(value_of(problem, test::plan_within(limits, in_rank_order, problem)).slowest,
                     6 * 1.2);
    EXPECT_DOUBLE_EQ(value_of(problem, test::plan_within(limits, by_slowest_step, problem)).slowest,
                     1.2);
}

}  // namespace
}  // namespace espalier::plan::gather
