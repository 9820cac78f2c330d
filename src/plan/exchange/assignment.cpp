// LEMON's headers are C++17 at most, and so is this file: nothing of ours that needs more may be
// included here.
#include "plan/exchange/assignment.hpp"

// All that is used of it are templates: no library to link.
#define LEMON_ONLY_TEMPLATES
#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>

#include <stdexcept>
#include <utility>

namespace espalier::plan::exchange {

std::vector<std::size_t> least_matching(std::size_t side, const std::vector<Edge>& edges) {
    using Graph = lemon::StaticDigraph;
    using Solver = lemon::NetworkSimplex<Graph, std::int64_t, std::int64_t>;

    std::vector<std::pair<int, int>> arcs;
    arcs.reserve(edges.size());
    for (const Edge& edge : edges)
        arcs.emplace_back(static_cast<int>(edge.left), static_cast<int>(side + edge.right));
    Graph graph;
    graph.build(static_cast<int>(2 * side), arcs.begin(), arcs.end());

    // One unit flows from each left node to some right node. Flows of a basic solution are whole,
    // and no edge can carry more than that one unit: none needs a capacity.
    Graph::ArcMap<std::int64_t> costs(graph);
    for (std::size_t e = 0; e < edges.size(); ++e)
        costs[Graph::arc(static_cast<int>(e))] = edges[e].cost;
    Graph::NodeMap<std::int64_t> supplies(graph);
    for (std::size_t node = 0; node < 2 * side; ++node)
        supplies[Graph::node(static_cast<int>(node))] = node < side ? 1 : -1;
    Solver solver(graph);
    solver.costMap(costs).supplyMap(supplies);
    if (solver.run() != Solver::OPTIMAL)
        throw std::invalid_argument("the graph has no complete matching");

    std::vector<std::size_t> chosen(side);
    for (std::size_t e = 0; e < edges.size(); ++e)
        if (solver.flow(Graph::arc(static_cast<int>(e))) > 0) chosen[edges[e].left] = e;
    return chosen;
}

}  // namespace espalier::plan::exchange
