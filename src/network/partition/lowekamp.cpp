#include "network/partition/lowekamp.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <numeric>

namespace espalier::network {

namespace {

/// Disjoint sets of nodes, each with the shortest edge that built it (infinite for a single node).
class Subnets {
public:
    explicit Subnets(std::size_t nodes)
        : parent_(nodes), size_(nodes, 1), shortest_(nodes, infinity) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }

    std::size_t find(std::size_t node) {
        while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
        return node;
    }
    [[nodiscard]] double shortest(std::size_t subnet) const { return shortest_[subnet]; }

    void merge(std::size_t a, std::size_t b, double edge) {
        if (size_[a] < size_[b]) std::swap(a, b);
        parent_[b] = a;
        size_[a] += size_[b];
        shortest_[a] = std::min({edge, shortest_[a], shortest_[b]});
    }

private:
    std::vector<std::size_t> parent_;
    std::vector<std::size_t> size_;
    std::vector<double> shortest_;
};

/// What is known of all pairs.
std::vector<Edge> all_edges(const Metric& metric) {
    std::vector<Edge> edges;
    for (std::size_t a = 0; a < metric.size(); ++a)
        for (std::size_t b = a + 1; b < metric.size(); ++b)
            if (const auto length = metric.between(a, b)) edges.push_back({*length, a, b});
    return edges;
}

/// Leaves the edges that no end of theirs rejects, from the shortest on. This test never changes,
/// so it comes first and spares sorting the rest.
void keep_acceptable(std::vector<Edge>& edges, std::size_t nodes, double tolerance) {
    std::vector<double> shortest(nodes, infinity);
    for (const Edge& edge : edges)
        for (const std::size_t end : {edge.a, edge.b})
            shortest[end] = std::min(shortest[end], edge.length);
    std::erase_if(edges, [&](const Edge& edge) {
        return !within_tolerance(edge.length, std::min(shortest[edge.a], shortest[edge.b]),
                                 tolerance);
    });
    std::sort(edges.begin(), edges.end(),
              [](const Edge& x, const Edge& y) { return x.length < y.length; });
}

}  // namespace

std::vector<std::size_t> lowekamp(std::size_t nodes, std::vector<Edge> edges, double tolerance) {
    Subnets subnets(nodes);
    keep_acceptable(edges, nodes, tolerance);
    for (const Edge& edge : edges) {
        const std::size_t a = subnets.find(edge.a);
        const std::size_t b = subnets.find(edge.b);
        const double shortest = std::min(subnets.shortest(a), subnets.shortest(b));
        if (a != b && within_tolerance(edge.length, shortest, tolerance))
            subnets.merge(a, b, edge.length);
    }
    std::vector<std::size_t> subnet_of_node(nodes);
    for (std::size_t node = 0; node < nodes; ++node) subnet_of_node[node] = subnets.find(node);
    return subnet_of_node;
}

Partition lowekamp(const Metric& metric, double tolerance) {
    return make_partition(metric, tolerance, lowekamp(metric.size(), all_edges(metric), tolerance));
}

}  // namespace espalier::network
