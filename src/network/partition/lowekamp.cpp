#include "network/partition/lowekamp.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <numeric>

namespace espalier::network {

namespace {

struct Edge {
    double length;
    std::size_t a;
    std::size_t b;
};

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

std::vector<double> shortest_at_each_node(const Metric& metric) {
    std::vector<double> shortest(metric.size(), infinity);
    for (std::size_t a = 0; a < metric.size(); ++a)
        for (std::size_t b = a + 1; b < metric.size(); ++b)
            if (const auto length = metric.between(a, b)) {
                shortest[a] = std::min(shortest[a], *length);
                shortest[b] = std::min(shortest[b], *length);
            }
    return shortest;
}

/// The edges that no end of theirs rejects, from the shortest on. This test never changes, so it
/// comes first and spares sorting the rest.
std::vector<Edge> acceptable_edges(const Metric& metric, double tolerance) {
    const auto shortest = shortest_at_each_node(metric);
    std::vector<Edge> edges;
    for (std::size_t a = 0; a < metric.size(); ++a)
        for (std::size_t b = a + 1; b < metric.size(); ++b)
            if (const auto length = metric.between(a, b);
                length && within_tolerance(*length, std::min(shortest[a], shortest[b]), tolerance))
                edges.push_back({*length, a, b});
    std::sort(edges.begin(), edges.end(),
              [](const Edge& x, const Edge& y) { return x.length < y.length; });
    return edges;
}

}  // namespace

Partition lowekamp(const Metric& metric, double tolerance) {
    Subnets subnets(metric.size());
    for (const Edge& edge : acceptable_edges(metric, tolerance)) {
        const std::size_t a = subnets.find(edge.a);
        const std::size_t b = subnets.find(edge.b);
        const double shortest = std::min(subnets.shortest(a), subnets.shortest(b));
        if (a != b && within_tolerance(edge.length, shortest, tolerance))
            subnets.merge(a, b, edge.length);
    }
    std::vector<std::size_t> subnet_of_node(metric.size());
    for (std::size_t node = 0; node < metric.size(); ++node)
        subnet_of_node[node] = subnets.find(node);
    return make_partition(metric, tolerance, subnet_of_node);
}

}  // namespace espalier::network
