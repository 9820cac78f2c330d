#include "plan/bounds/arborescence.hpp"

#include "core/infinity.hpp"

#include <utility>

namespace espalier::plan::bounds {

namespace {

/// The nodes of a cycle among parents; empty: there is none.
std::vector<std::size_t> find_cycle(const std::vector<std::size_t>& parent, std::size_t root) {
    std::vector<std::size_t> seen_from(parent.size(), parent.size());
    for (std::size_t start = 0; start < parent.size(); ++start) {
        std::size_t node = start;
        while (node != root && seen_from[node] == parent.size()) {
            seen_from[node] = start;
            node = parent[node];
        }
        if (node == root || seen_from[node] != start) continue;
        std::vector<std::size_t> cycle{node};
        for (std::size_t next = parent[node]; next != node; next = parent[next])
            cycle.push_back(next);
        return cycle;
    }
    return {};
}

}  // namespace

std::vector<std::size_t> cheapest_arborescence(const Matrix<double>& cost, std::size_t root) {
    const std::size_t nodes = cost.rows();
    std::vector<std::size_t> parent(nodes, root);
    for (std::size_t v = 0; v < nodes; ++v) {
        if (v == root) continue;
        double least = never;
        for (std::size_t u = 0; u < nodes; ++u)
            if (u != v && cost(u, v) < least) {
                least = cost(u, v);
                parent[v] = u;
            }
        if (least == never) return {};
    }
    const auto cycle = find_cycle(parent, root);
    if (cycle.empty()) return parent;

    // The cycle becomes one node, the last; entering it at v takes the place of v's own link.
    std::vector<std::size_t> place(nodes, nodes);
    for (const std::size_t v : cycle) place[v] = nodes + 1;
    std::vector<std::size_t> kept;
    for (std::size_t v = 0; v < nodes; ++v)
        if (place[v] == nodes) {
            place[v] = kept.size();
            kept.push_back(v);
        }
    const std::size_t joined = kept.size();
    Matrix<double> smaller(joined + 1, joined + 1, never);
    std::vector<std::size_t> entered(joined, nodes);  // where from each node outside
    std::vector<std::size_t> left(joined, nodes);     // from where to each node outside
    for (std::size_t a = 0; a < joined; ++a) {
        for (std::size_t b = 0; b < joined; ++b)
            if (a != b) smaller(a, b) = cost(kept[a], kept[b]);
        for (const std::size_t v : cycle) {
            const double in = cost(kept[a], v) - cost(parent[v], v);
            if (in < smaller(a, joined)) {
                smaller(a, joined) = in;
                entered[a] = v;
            }
            if (cost(v, kept[a]) < smaller(joined, a)) {
                smaller(joined, a) = cost(v, kept[a]);
                left[a] = v;
            }
        }
    }
    const auto found = cheapest_arborescence(smaller, place[root]);
    if (found.empty()) return {};
    for (std::size_t a = 0; a < joined; ++a)
        if (kept[a] != root) parent[kept[a]] = found[a] == joined ? left[a] : kept[found[a]];
    parent[entered[found[joined]]] = kept[found[joined]];
    return parent;
}

}  // namespace espalier::plan::bounds
