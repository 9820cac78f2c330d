#include "core/infinity.hpp"
#include "core/random.hpp"
#include "network/partition/closeness.hpp"
#include "network/partition/lowekamp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace espalier::network {
namespace {

using Clusters = std::vector<std::vector<std::size_t>>;

/// Few different whole distances, so that ties and exact tolerances abound; each direction of a
/// pair is known with the given probability.
Metric random_metric(Random& random, std::size_t n, double known, bool symmetric) {
    const std::uint64_t lengths = 3 + random.below(60);
    Metric metric{std::vector<std::string>(n, "x"), Matrix<std::optional<double>>(n, n)};
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) {
            if (symmetric && b < a)
                metric.distance(a, b) = metric.distance(b, a);
            else if (a != b && random.uniform() < known)
                metric.distance(a, b) = 10 + static_cast<double>(random.below(lengths));
        }
    return metric;
}

/// The edges as a map, with the larger direction of each pair.
std::map<std::pair<std::size_t, std::size_t>, double> edges_of(const Metric& metric) {
    std::map<std::pair<std::size_t, std::size_t>, double> edges;
    for (std::size_t a = 0; a < metric.size(); ++a)
        for (std::size_t b = 0; b < metric.size(); ++b)
            if (const auto& length = metric.distance(a, b)) {
                double& edge = edges[std::minmax(a, b)];
                edge = std::max(edge, *length);
            }
    return edges;
}

Clusters sorted_clusters(const std::vector<std::size_t>& label) {
    std::map<std::size_t, std::vector<std::size_t>> members;
    for (std::size_t node = 0; node < label.size(); ++node) members[label[node]].push_back(node);
    Clusters clusters;
    for (const auto& [key, nodes] : members) clusters.push_back(nodes);
    std::sort(clusters.begin(), clusters.end());
    return clusters;
}

/// The printed algorithm, line by line, in percent of whole numbers so that nothing is rounded.
/// Labels in place of sets, all of them renamed at each merge; ties in the order that `random`
/// gives.
Clusters lowekamp_line_by_line(const Metric& metric, int percent, Random& random) {
    const auto edges = edges_of(metric);
    const auto longer = [&](double edge, double shortest) {
        return 100 * edge > (100 + percent) * shortest;
    };
    constexpr double none = infinity;
    std::vector<double> node_min(metric.size(), none);
    std::vector<std::tuple<double, double, std::size_t, std::size_t>> order;
    for (const auto& [ends, length] : edges) {
        node_min[ends.first] = std::min(node_min[ends.first], length);
        node_min[ends.second] = std::min(node_min[ends.second], length);
        order.emplace_back(length, random.uniform(), ends.first, ends.second);
    }
    std::sort(order.begin(), order.end());

    std::vector<std::size_t> label(metric.size());
    std::vector<double> subnet_min(metric.size(), none);
    for (std::size_t node = 0; node < label.size(); ++node) label[node] = node;
    for (const auto& [length, tie, a, b] : order) {
        if (label[a] == label[b]) continue;
        if (longer(length, node_min[a]) || longer(length, node_min[b])) continue;
        if (longer(length, subnet_min[a]) || longer(length, subnet_min[b])) continue;
        const double merged = std::min({length, subnet_min[a], subnet_min[b]});
        const std::size_t old = label[b];
        for (std::size_t node = 0; node < label.size(); ++node) {
            if (label[node] == old) label[node] = label[a];
            if (label[node] == label[a]) subnet_min[node] = merged;
        }
    }
    return sorted_clusters(label);
}

/// Whether `a` may join, by the condition over all pairs of the group.
bool joins(const std::map<std::pair<std::size_t, std::size_t>, double>& edges, std::size_t a,
           const std::vector<std::size_t>& group, int percent) {
    for (const std::size_t x : group) {
        const auto newcomer = edges.find(std::minmax(a, x));
        if (newcomer == edges.end()) return false;
        for (const std::size_t y : group) {
            if (x == y) continue;
            const double inside = edges.at(std::minmax(x, y));
            const auto [low, high] = std::minmax(newcomer->second, inside);
            if (100 * high > (100 + percent) * low) return false;
        }
    }
    return true;
}

Clusters closeness_pair_by_pair(const Metric& metric, int percent) {
    const auto edges = edges_of(metric);
    std::vector<std::tuple<double, std::size_t, std::size_t>> order;
    for (const auto& [ends, length] : edges) order.emplace_back(length, ends.first, ends.second);
    std::sort(order.begin(), order.end());

    Clusters groups;
    std::set<std::size_t> placed;
    const auto place = [&](std::size_t node, std::size_t other) {
        if (!placed.insert(node).second) return;
        const auto holds_other = [&](const auto& group) {
            return std::find(group.begin(), group.end(), other) != group.end();
        };
        auto chosen = std::find_if(groups.begin(), groups.end(), holds_other);
        if (chosen == groups.end() || !joins(edges, node, *chosen, percent))
            chosen = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
                return joins(edges, node, group, percent);
            });
        if (chosen == groups.end())
            groups.push_back({node});
        else
            chosen->push_back(node);
    };
    for (const auto& [length, a, b] : order) {
        place(a, b);
        place(b, a);
    }
    for (std::size_t node = 0; node < metric.size(); ++node)
        if (!placed.contains(node)) groups.push_back({node});
    for (auto& group : groups) std::sort(group.begin(), group.end());
    std::sort(groups.begin(), groups.end());
    return groups;
}

struct Case {
    Metric metric;
    int percent;
};

Case random_case(Random& random) {
    const std::size_t n = 1 + random.below(24);
    const double known = random.uniform() < 0.3 ? 1 : random.uniform();
    const bool symmetric = random.below(2) == 0;
    return {random_metric(random, n, known, symmetric), static_cast<int>(random.below(80))};
}

TEST(PartitionProperty, lowekamp_does_what_the_printed_algorithm_does_in_any_order_of_ties) {
    Random random(20060);
    std::size_t divided = 0;
    for (int round = 0; round < 3000; ++round) {
        const Case drawn = random_case(random);
        const Clusters expected = lowekamp_line_by_line(drawn.metric, drawn.percent, random);
        ASSERT_EQ(lowekamp(drawn.metric, drawn.percent / 100.0).clusters, expected) << round;
        divided += expected.size() > 1 && expected.size() < drawn.metric.size();
    }
    EXPECT_GT(divided, 1000U) << "too few of the cases say anything";
}

TEST(PartitionProperty, closeness_compares_a_newcomer_with_every_pair) {
    Random random(20061);
    std::size_t divided = 0;
    for (int round = 0; round < 3000; ++round) {
        const Case drawn = random_case(random);
        const Clusters expected = closeness_pair_by_pair(drawn.metric, drawn.percent);
        ASSERT_EQ(closeness(drawn.metric, drawn.percent / 100.0).clusters, expected) << round;
        divided += expected.size() > 1 && expected.size() < drawn.metric.size();
    }
    EXPECT_GT(divided, 1000U) << "too few of the cases say anything";
}

TEST(PartitionProperty, unplaced_are_exactly_the_nodes_without_any_known_pair) {
    Random random(20062);
    for (int round = 0; round < 500; ++round) {
        const Case drawn = random_case(random);
        std::set<std::size_t> isolated;
        for (std::size_t node = 0; node < drawn.metric.size(); ++node) isolated.insert(node);
        for (const auto& [ends, length] : edges_of(drawn.metric)) {
            isolated.erase(ends.first);
            isolated.erase(ends.second);
        }
        for (const auto method : {PartitionMethod::lowekamp, PartitionMethod::closeness}) {
            const Partition found = partition(drawn.metric, drawn.percent / 100.0, method);
            const std::vector<std::size_t> expected(isolated.begin(), isolated.end());
            ASSERT_EQ(found.unplaced, expected) << round;
            for (const std::size_t node : found.unplaced) {
                const std::vector<std::size_t> alone{node};
                ASSERT_EQ(std::count(found.clusters.begin(), found.clusters.end(), alone), 1);
            }
        }
    }
}

}  // namespace
}  // namespace espalier::network
