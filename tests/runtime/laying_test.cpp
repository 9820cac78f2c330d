#include "runtime/logic/laying.hpp"

#include "runtime/two_clusters.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace espalier::runtime {
namespace {

using stated::TwoClusters;

std::size_t crossing(const TwoClusters& clusters, const std::vector<Edge>& edges,
                     const std::vector<std::size_t>& ranks) {
    return static_cast<std::size_t>(std::ranges::count_if(edges, [&](const Edge& edge) {
        return clusters.places()[ranks[edge.from]].leaf != clusters.places()[ranks[edge.to]].leaf;
    }));
}

std::vector<std::size_t> as_given(std::size_t count) {
    std::vector<std::size_t> ranks(count);
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    return ranks;
}

TEST(Laying, of_a_grid_cuts_it_once) {
    const TwoClusters clusters(8, true, true);
    const std::vector<Edge> edges = edges_of_grid({4, 4}, {0, 0});
    const Laid laid = lay(clusters.view(), clusters.places(), edges);
    EXPECT_FALSE(laid.is_as_given);
    std::vector<std::size_t> sorted = laid.ranks;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, as_given(16));
    EXPECT_GT(crossing(clusters, edges, as_given(16)), 16u);
    EXPECT_EQ(crossing(clusters, edges, laid.ranks), 8u);
    EXPECT_EQ(lay(clusters.view(), clusters.places(), edges).ranks, laid.ranks);
}

TEST(Laying, of_what_is_best_as_given_changes_nothing) {
    const TwoClusters clusters(8, true);
    const Laid laid = lay(clusters.view(), clusters.places(), edges_of_grid({16}, {0}));
    EXPECT_TRUE(laid.is_as_given);
    EXPECT_EQ(laid.ranks, as_given(16));
    EXPECT_TRUE(lay(clusters.view(), clusters.places(), {}).is_as_given);
}

TEST(Laying, cuts_the_edges_that_weigh_least) {
    const TwoClusters clusters(4, true, true);
    // A ring whose edges weigh much but two, opposite each other, between 1 and 2, and 5 and 6.
    std::vector<Edge> edges = edges_of_grid({8}, {1});
    for (Edge& edge : edges) {
        const auto ends = std::minmax(edge.from, edge.to);
        const bool is_light =
            (ends.first == 1 && ends.second == 2) || (ends.first == 5 && ends.second == 6);
        edge.weight = is_light ? 1 : 50;
    }
    const Laid laid = lay(clusters.view(), clusters.places(), edges);
    const auto leaf = [&](std::size_t vertex) {
        return clusters.places()[laid.ranks[vertex]].leaf;
    };
    for (std::size_t vertex = 2; vertex < 5; ++vertex) EXPECT_EQ(leaf(vertex), leaf(vertex + 1));
    for (std::size_t vertex = 6; vertex < 9; ++vertex)
        EXPECT_EQ(leaf(vertex % 8), leaf((vertex + 1) % 8));
}

TEST(Laying, knows_the_edges_of_a_grid) {
    std::set<std::pair<std::size_t, std::size_t>> found;
    for (const Edge& edge : edges_of_grid({2, 3}, {0, 1}))
        EXPECT_TRUE(found.insert({edge.from, edge.to}).second);
    const std::vector<std::pair<std::size_t, std::size_t>> one_way{
        {0, 3}, {1, 4}, {2, 5}, {0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}};
    std::set<std::pair<std::size_t, std::size_t>> expected;
    for (const auto& [from, to] : one_way) expected.insert({{from, to}, {to, from}});
    EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace espalier::runtime
