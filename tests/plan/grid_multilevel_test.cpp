#include "core/random.hpp"
#include "plan/grid/flat.hpp"
#include "plan/grid/multilevel.hpp"
#include "support/grid_problems.hpp"
#include "support/print_send.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace espalier {
namespace {

using plan::grid::level_distances;
using plan::grid::multilevel;
using plan::grid::Order;
using plan::grid::Problem;
using plan::grid::Send;

/// The latencies between the six clusters of steffenel-2006, Table 4, in microseconds.
Problem table4(std::size_t root) {
    constexpr double us[6][6] = {{0, 62.10, 12181.52, 12187.24, 12197.49, 5210.99},
                                 {62.10, 0, 12181.52, 12198.03, 12195.22, 5211.47},
                                 {12181.52, 12181.52, 0, 60.08, 60.08, 5388.49},
                                 {12187.24, 12198.03, 60.08, 0, 242.47, 5393.98},
                                 {12197.49, 12195.22, 60.08, 242.47, 0, 5394.10},
                                 {5210.99, 5211.47, 5388.49, 5393.98, 5394.10, 0}};
    Problem problem{.root = root,
                    .gap = Matrix<double>(6, 6, 0.1),
                    .latency = Matrix<double>(6, 6),
                    .inner = std::vector<double>(6, 1)};
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j) problem.latency(i, j) = us[i][j] * 1e-6;
    return problem;
}

/// Clusters numbered by site, building and room, in mixed order: 10 ms between sites, 100 us
/// between buildings, 1 us between rooms, each up to twice that.
struct Nested {
    Problem problem;
    std::vector<std::size_t> site;
    std::vector<std::size_t> building;
};

Nested nested(Random& random) {
    const std::size_t clusters = 2 + random.below(14);
    Nested grid{.problem = testing::random_problem(random, clusters), .site = {}, .building = {}};
    for (std::size_t i = 0; i < clusters; ++i) {
        grid.site.push_back(random.below(3));
        grid.building.push_back(3 * grid.site.back() + random.below(3));
    }
    for (std::size_t i = 0; i < clusters; ++i)
        for (std::size_t j = 0; j < clusters; ++j)
            if (i != j)
                grid.problem.latency(i, j) =
                    random.uniform(1, 2) * (grid.site[i] != grid.site[j]           ? 1e-2
                                            : grid.building[i] != grid.building[j] ? 1e-4
                                                                                   : 1e-6);
    return grid;
}

std::size_t different(const std::vector<std::size_t>& names) {
    return std::set(names.begin(), names.end()).size();
}

std::size_t sends_between(const Order& order, const std::vector<std::size_t>& group) {
    return static_cast<std::size_t>(std::ranges::count_if(
        order, [&](const Send& send) { return group[send.from] != group[send.to]; }));
}

TEST(Multilevel, finds_the_three_sites_of_table_4) {
    ASSERT_EQ(level_distances(table4(0)).size(), 1U);
    EXPECT_DOUBLE_EQ(level_distances(table4(0)).front(), 62.10e-6);
}

TEST(Multilevel, is_flat_between_the_sites_of_table_4_and_binomial_inside) {
    // Sites {0, 1}, {2, 3, 4}, {5}: first from site to site, then inside each.
    EXPECT_EQ(multilevel(table4(0)), (Order{{0, 2}, {0, 5}, {0, 1}, {2, 3}, {2, 4}}));
    EXPECT_EQ(multilevel(table4(5)), (Order{{5, 0}, {5, 2}, {0, 1}, {2, 3}, {2, 4}}));
    // The root is its own site's coordinator.
    EXPECT_EQ(multilevel(table4(3)), (Order{{3, 5}, {3, 0}, {3, 4}, {3, 2}, {0, 1}}));
}

TEST(Multilevel, is_flat_where_all_distances_are_of_one_kind) {
    Random random(1);
    for (int run = 0; run < 200; ++run) {
        const Problem problem =
            testing::random_problem(random, 1 + random.below(8), {.latency = {1, 4.9}});
        EXPECT_TRUE(level_distances(problem).empty());
        EXPECT_EQ(multilevel(problem), plan::grid::flat(problem));
    }
}

TEST(Multilevel, doubles_the_senders_inside_a_site) {
    Problem problem{.root = 0,
                    .gap = Matrix<double>(6, 6, 0.1),
                    .latency = Matrix<double>(6, 6, 1e-4),
                    .inner = std::vector<double>(6, 1)};
    for (std::size_t i = 0; i < 5; ++i) problem.latency(i, 5) = problem.latency(5, i) = 1e-2;
    EXPECT_EQ(multilevel(problem), (Order{{0, 5}, {0, 1}, {0, 2}, {1, 3}, {0, 4}}));
}

TEST(Multilevel, takes_the_longer_direction_of_a_pair) {
    for (const auto [far, near] : {Send{0, 1}, Send{1, 0}}) {
        Problem problem = table4(0);
        problem.latency(far, near) = 5e-3;
        problem.latency(near, far) = 1e-6;
        EXPECT_EQ(multilevel(problem), (Order{{0, 1}, {0, 2}, {0, 5}, {2, 3}, {2, 4}}));
    }
}

TEST(Multilevel, finds_sites_by_the_transfer_where_no_latency_is_known) {
    Problem problem = table4(0);
    std::swap(problem.gap, problem.latency);
    problem.latency = Matrix<double>(6, 6, 0);
    EXPECT_EQ(multilevel(problem), multilevel(table4(0)));
}

TEST(Multilevel, enters_every_site_and_every_building_once) {
    Random random(2);
    for (int run = 0; run < 2000; ++run) {
        const Nested grid = nested(random);
        const Order order = multilevel(grid.problem);
        ASSERT_EQ(order.size() + 1, grid.problem.size());
        ASSERT_EQ(sends_between(order, grid.site), different(grid.site) - 1);
        ASSERT_EQ(sends_between(order, grid.building), different(grid.building) - 1);
    }
}

TEST(Multilevel, crosses_sites_from_the_root_alone_and_before_all_else) {
    Random random(3);
    for (int run = 0; run < 2000; ++run) {
        const Nested grid = nested(random);
        const std::size_t far = different(grid.site) - 1;
        if (far == 0) continue;
        const Order order = multilevel(grid.problem);
        for (std::size_t s = 0; s < order.size(); ++s) {
            const bool crosses = grid.site[order[s].from] != grid.site[order[s].to];
            ASSERT_EQ(crosses, s < far);
            if (crosses) {
                ASSERT_EQ(order[s].from, grid.problem.root);
            }
        }
    }
}

}  // namespace
}  // namespace espalier
