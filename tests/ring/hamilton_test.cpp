// Finding the best ring is as hard as finding a Hamiltonian cycle, except where messages may pass
// through hosts without loss (legrand-2003, section 3, proves more than is so).
#include "core/error.hpp"
#include "network/generate_hamilton.hpp"
#include "ring/optimal.hpp"
#include "ring/routes.hpp"

#include "core/random.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace espalier::ring {
namespace {

using network::hamilton_platform;
using network::HamiltonPaths;

struct Graph {
    std::size_t vertices = 0;
    std::vector<std::pair<std::size_t, std::size_t>> edges;
};

bool has_hamiltonian_cycle(const Graph& graph) {
    if (graph.vertices < 3) return false;
    std::set<std::pair<std::size_t, std::size_t>> edges;
    for (const auto& [a, b] : graph.edges) {
        edges.emplace(a, b);
        edges.emplace(b, a);
    }
    std::vector<std::size_t> order(graph.vertices);
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
        bool cycle = edges.contains({order.back(), order.front()});
        for (std::size_t i = 1; cycle && i < order.size(); ++i)
            cycle = edges.contains({order[i - 1], order[i]});
        if (cycle) return true;
    } while (std::next_permutation(order.begin() + 1, order.end()));
    return false;
}

constexpr double epsilon = 0.2;

Found best_ring(const Graph& graph, HamiltonPaths paths, PathChoice choice) {
    const auto instance = hamilton_platform(graph.vertices, graph.edges, epsilon, paths);
    const network::Network checked(instance.network);  // throws if it is not a network
    const Platform platform(*checked.links());
    const RouteTable routes = widest_routes(platform);
    Settings settings;
    settings.paths = choice;
    settings.limits.time = Seconds(1000);
    return optimal({platform, routes, instance.work, instance.exchange}, settings);
}

/// By no more than rounding; or else by what the instance says.
bool is_within_bound(const Graph& graph, const Found& found) {
    EXPECT_TRUE(found.optimal);
    const double bound = 1 + 2 * epsilon;
    const double step_time = found.solution.division.step_time;
    EXPECT_GT(step_time, bound - 1e-8);
    if (step_time <= bound + 1e-8) return true;
    EXPECT_GE(step_time, bound + epsilon / static_cast<double>(graph.vertices) - 1e-8);
    return false;
}

Graph complete(std::size_t vertices) {
    Graph graph{vertices, {}};
    for (std::size_t a = 0; a < vertices; ++a)
        for (std::size_t b = a + 1; b < vertices; ++b) graph.edges.emplace_back(a, b);
    return graph;
}

Graph cycle(std::size_t vertices) {
    Graph graph{vertices, {}};
    for (std::size_t v = 0; v < vertices; ++v) graph.edges.emplace_back(v, (v + 1) % vertices);
    return graph;
}

Graph bipartite(std::size_t left, std::size_t right) {
    Graph graph{left + right, {}};
    for (std::size_t a = 0; a < left; ++a)
        for (std::size_t b = 0; b < right; ++b) graph.edges.emplace_back(a, left + b);
    return graph;
}

/// Two triangles that have vertex 0 in common.
Graph bow_tie() { return {5, {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {0, 4}, {3, 4}}}; }

Graph petersen() {
    Graph graph{10, {}};
    for (std::size_t v = 0; v < 5; ++v) {
        graph.edges.emplace_back(v, (v + 1) % 5);
        graph.edges.emplace_back(v, v + 5);
        graph.edges.emplace_back(v + 5, (v + 2) % 5 + 5);
    }
    return graph;
}

TEST(RingHardness, of_named_graphs_is_that_of_their_hamiltonian_cycles) {
    const std::vector<std::pair<Graph, bool>> graphs{
        {complete(2), false},     {complete(3), true},
        {complete(4), true},      {cycle(5), true},
        {bipartite(2, 3), false}, {bipartite(3, 3), true},
        {bow_tie(), false},       {{4, {{0, 1}, {0, 2}, {0, 3}}}, false},
    };
    for (const auto& [graph, known] : graphs) {
        SCOPED_TRACE(::testing::PrintToString(graph.edges));
        ASSERT_EQ(has_hamiltonian_cycle(graph), known);
        for (const HamiltonPaths paths : {HamiltonPaths::direct, HamiltonPaths::guarded})
            EXPECT_EQ(is_within_bound(graph, best_ring(graph, paths, PathChoice::widest)), known);
    }
}

TEST(RingHardness, of_random_graphs_is_that_of_their_hamiltonian_cycles) {
    std::size_t cycles = 0;
    constexpr std::size_t graphs = 60;
    for (std::uint64_t seed = 1; seed <= graphs; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Graph graph{4 + random.below(3), {}};
        for (const auto& edge : complete(graph.vertices).edges)
            if (random.uniform() < 0.6) graph.edges.push_back(edge);
        const bool known = has_hamiltonian_cycle(graph);
        if (known) ++cycles;
        for (const HamiltonPaths paths : {HamiltonPaths::direct, HamiltonPaths::guarded})
            EXPECT_EQ(is_within_bound(graph, best_ring(graph, paths, PathChoice::widest)), known);
    }
    EXPECT_GT(cycles, graphs / 4);
    EXPECT_LT(cycles, 3 * graphs / 4);
}

TEST(RingHardness, holds_for_every_choice_of_paths_past_guarded_hosts) {
    for (const Graph& graph : {complete(3), Graph{3, {{0, 1}, {0, 2}}}, cycle(4),
                               Graph{4, {{0, 1}, {0, 2}, {1, 2}, {0, 3}}}})
        EXPECT_EQ(is_within_bound(graph, best_ring(graph, HamiltonPaths::guarded, PathChoice::all)),
                  has_hamiltonian_cycle(graph));
}

TEST(RingHardness, is_lost_where_messages_pass_through_hosts) {
    // 0-1-2-(0)-3-4: from 2 to 3 and back through 0, and no link is used twice in one direction.
    const Graph graph = bow_tie();
    ASSERT_FALSE(has_hamiltonian_cycle(graph));
    const Found found = best_ring(graph, HamiltonPaths::free, PathChoice::widest);
    EXPECT_NEAR(found.solution.division.step_time, 1 + 2 * epsilon, 1e-8);
    std::size_t detours = 0;
    for (const Path& path : found.solution.embedding.to_successor)
        if (path.size() > 1) ++detours;
    EXPECT_GE(detours, 1U);
}

TEST(RingHardness, of_petersens_graph_shows_that_it_has_no_hamiltonian_cycle) {
    EXPECT_FALSE(is_within_bound(petersen(),
                                 best_ring(petersen(), HamiltonPaths::direct, PathChoice::widest)));
}

TEST(HamiltonPlatforms, refuse_what_is_no_graph) {
    const auto made =
        [](std::size_t vertices, const std::vector<std::pair<std::size_t, std::size_t>>& edges,
           double given) { (void)hamilton_platform(vertices, edges, given, HamiltonPaths::free); };
    EXPECT_THROW(made(1, {}, 0.1), InputError);
    EXPECT_THROW(made(3, {{0, 3}}, 0.1), InputError);
    EXPECT_THROW(made(3, {{1, 1}}, 0.1), InputError);
    EXPECT_THROW(made(3, {{0, 1}, {1, 0}}, 0.1), InputError);
    EXPECT_THROW(made(3, {{0, 1}}, 0.5), InputError);
    EXPECT_THROW(made(3, {{0, 1}}, 0), InputError);
    EXPECT_NO_THROW(made(3, {{0, 1}}, 0.4));
}

}  // namespace
}  // namespace espalier::ring
