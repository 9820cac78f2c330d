#include "network/partition.hpp"

#include "core/error.hpp"
#include "core/random.hpp"
#include "network/generate.hpp"
#include "network/json.hpp"
#include "network/partition/closeness.hpp"
#include "network/partition/lowekamp.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>

namespace espalier::network {
namespace {

using Clusters = std::vector<std::vector<std::size_t>>;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::size_t> table4_sizes{31, 29, 6, 1, 1, 20};

std::string example(const std::string& file) {
    return std::string(ESPALIER_SOURCE_DIR) + "/examples/table4/" + file;
}

Metric table4(double noise = 0, std::uint64_t seed = 0) {
    static const PairTable clusters = read_pair_table(example("latency_us.csv"));
    return to_metric(expand_latencies(clusters, table4_sizes, noise, seed), MetricKind::latency);
}

/// Consecutive nodes, sizes[k] of them in cluster k.
Clusters consecutive(const std::vector<std::size_t>& sizes) {
    Clusters clusters;
    std::size_t next = 0;
    for (const std::size_t size : sizes) {
        clusters.emplace_back(size);
        std::iota(clusters.back().begin(), clusters.back().end(), next);
        next += size;
    }
    return clusters;
}

/// A symmetric metric from its upper triangle; a negative number stands for an unknown pair.
Metric triangle(const std::vector<std::vector<double>>& rows) {
    const std::size_t n = rows.size() + 1;
    Metric metric{std::vector<std::string>(n, "x"), Matrix<std::optional<double>>(n, n)};
    for (std::size_t a = 0; a + 1 < n; ++a)
        for (std::size_t b = a + 1; b < n; ++b)
            if (const double length = rows[a].at(b - a - 1); length >= 0)
                metric.distance(a, b) = metric.distance(b, a) = length;
    return metric;
}

Clusters lowekamp_clusters(const Metric& metric, double tolerance) {
    return lowekamp(metric, tolerance).clusters;
}

TEST(Lowekamp, finds_the_six_clusters_of_table_4_at_20_25_and_30_percent) {
    for (const double tolerance : {0.2, 0.25, 0.3})
        EXPECT_EQ(lowekamp_clusters(table4(), tolerance), consecutive(table4_sizes)) << tolerance;
}

TEST(Lowekamp, merges_the_two_orsay_clusters_at_35_percent) {
    EXPECT_EQ(lowekamp_clusters(table4(), 0.35), consecutive({60, 6, 1, 1, 20}));
}

TEST(Lowekamp, keeps_the_slow_pair_of_single_machines_apart) {
    // c3 and c4 are 242 us apart and 60 us from c2: their own shortest edge forbids the long one.
    for (const double tolerance : {0.0, 0.3, 1.0, 3.0}) {
        const auto found = lowekamp_clusters(triangle({{60.08, 60.08}, {242.47}}), tolerance);
        EXPECT_EQ(found.size(), 1U) << "joined through c2";
    }
    EXPECT_EQ(lowekamp_clusters(triangle({{35.52, 60.08, 60.08}, {60.08, 60.08}, {242.47}}), 0.3),
              (Clusters{{0, 1}, {2}, {3}}));
}

TEST(Lowekamp, finds_the_six_clusters_under_ten_percent_noise_on_each_pair) {
    constexpr std::uint64_t seeds = 300;
    for (const double tolerance : {0.2, 0.25, 0.3}) {
        std::size_t found = 0;
        for (std::uint64_t seed = 0; seed < seeds; ++seed)
            found += lowekamp_clusters(table4(0.1, seed), tolerance) == consecutive(table4_sizes);
        EXPECT_EQ(found, seeds) << tolerance;
    }
}

TEST(Lowekamp, minds_the_shortest_edge_of_both_parts_of_a_merged_subnet) {
    // One pair 10 apart, one 11.5; they join at 11.8. A fifth node is 13 from one of the second
    // pair: within 20% of 11.5, beyond 20% of 10. Only the minimum over both parts keeps it out,
    // whichever part comes first.
    constexpr double far = 100;
    EXPECT_EQ(lowekamp_clusters(
                  triangle({{10, far, far, far}, {11.8, far, far}, {11.5, far}, {13}}), 0.2),
              (Clusters{{0, 1, 2, 3}, {4}}));
    EXPECT_EQ(lowekamp_clusters(
                  triangle({{13, far, far, far}, {11.5, far, far}, {11.8, far}, {10}}), 0.2),
              (Clusters{{0}, {1, 2, 3, 4}}));
}

TEST(Lowekamp, takes_an_edge_that_is_exactly_at_the_tolerance_in_any_unit) {
    for (const double unit : {1.0, 1e-3, 1e-6, 3.0, 1.0 / 3})
        EXPECT_EQ(lowekamp_clusters(triangle({{10 * unit, 12 * unit}, {12 * unit}}), 0.2).size(),
                  1U)
            << unit;
    EXPECT_EQ(lowekamp_clusters(triangle({{10, 12.01}, {12.01}}), 0.2).size(), 2U);
}

TEST(Lowekamp, joins_a_long_line_of_near_neighbours) {
    // What it does not promise: a bound on the diameter.
    constexpr std::size_t n = 20;
    Metric line{std::vector<std::string>(n, "x"), Matrix<std::optional<double>>(n, n)};
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
            line.distance(a, b) = std::abs(static_cast<double>(a) - static_cast<double>(b));
    EXPECT_EQ(lowekamp_clusters(line, 0.2), consecutive({n}));
}

TEST(Lowekamp, takes_an_unknown_pair_for_no_edge_and_says_which_nodes_have_none) {
    constexpr double unknown = -1;
    const auto metric = triangle({{10, unknown, unknown}, {unknown, unknown}, {unknown}});
    const Partition found = lowekamp(metric, 0.2);
    EXPECT_EQ(found.clusters, (Clusters{{0, 1}, {2}, {3}}));
    EXPECT_THAT(found.unplaced, ElementsAre(2, 3));
    EXPECT_THAT(lowekamp(table4(), 0.3).unplaced, IsEmpty());
}

TEST(Lowekamp, finds_table_4_from_a_third_of_the_pairs_of_its_large_clusters) {
    Random random(7);
    Metric metric = table4(0.05, 3);
    const auto at_idpot = [](std::size_t node) { return node >= 60 && node < 68; };
    for (std::size_t a = 0; a < metric.size(); ++a)
        for (std::size_t b = a + 1; b < metric.size(); ++b)
            if (!(at_idpot(a) && at_idpot(b)) && random.uniform() > 1.0 / 3)
                metric.distance(a, b) = metric.distance(b, a) = std::nullopt;
    EXPECT_EQ(lowekamp_clusters(metric, 0.25), consecutive(table4_sizes));
}

TEST(Lowekamp, goes_by_the_slower_direction_or_the_only_one_known) {
    Metric metric = triangle({{10, 10}, {10}});
    metric.distance(2, 0) = 50;
    metric.distance(2, 1) = 50;
    EXPECT_EQ(lowekamp_clusters(metric, 0.2), (Clusters{{0, 1}, {2}}));
    metric.distance(2, 0) = std::nullopt;
    EXPECT_EQ(lowekamp_clusters(metric, 0.2), (Clusters{{0, 1, 2}}));
}

TEST(Lowekamp, does_not_depend_on_how_nodes_are_numbered) {
    const Metric metric = table4(0.1, 11);
    std::vector<std::size_t> order(metric.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Random random(5);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);

    Metric shuffled{metric.names, Matrix<std::optional<double>>(metric.size(), metric.size())};
    for (std::size_t a = 0; a < order.size(); ++a)
        for (std::size_t b = 0; b < order.size(); ++b)
            shuffled.distance(a, b) = metric.distance(order[a], order[b]);
    Clusters renamed = lowekamp_clusters(shuffled, 0.3);
    for (auto& cluster : renamed) {
        for (auto& node : cluster) node = order[node];
        std::sort(cluster.begin(), cluster.end());
    }
    std::sort(renamed.begin(), renamed.end());
    EXPECT_EQ(renamed, lowekamp_clusters(metric, 0.3));
}

TEST(Closeness, finds_the_six_clusters_where_nothing_is_noisy_but_joins_the_single_machines) {
    // A group of one admits any node: c3 and c4 end up together, 242 us apart.
    EXPECT_EQ(closeness(table4(), 0.2).clusters, (Clusters{consecutive(table4_sizes)[0],
                                                           consecutive(table4_sizes)[1],
                                                           consecutive(table4_sizes)[2],
                                                           {66, 67},
                                                           consecutive(table4_sizes)[5]}));
}

TEST(Closeness, needs_a_newcomer_within_the_tolerance_of_every_pair_of_the_group) {
    // 2 is 11 from both of {0,1}; 3 is 11 from 0 and 1, but 14 from 2.
    const auto metric = triangle({{10, 11, 11}, {11, 11}, {14}});
    EXPECT_EQ(closeness(metric, 0.2).clusters, (Clusters{{0, 1, 2}, {3}}));
    EXPECT_EQ(closeness(metric, 0.45).clusters, (Clusters{{0, 1, 2, 3}}));
}

TEST(Closeness, does_not_let_a_node_join_over_a_pair_that_is_unknown) {
    const Partition found = closeness(triangle({{10, 10, -1}, {-1, -1}, {-1}}), 0.2);
    EXPECT_EQ(found.clusters, (Clusters{{0, 1}, {2}, {3}}));
    EXPECT_THAT(found.unplaced, ElementsAre(3));
}

TEST(Partition, refuses_a_tolerance_that_is_negative_or_no_number) {
    for (const double tolerance : {-0.1, std::nan(""), HUGE_VAL})
        EXPECT_THROW((void)partition(table4(), tolerance), InputError);
    EXPECT_THROW((void)parse_partition_method("kmeans", "--method"), InputError);
    EXPECT_EQ(parse_partition_method("closeness", "--method"), PartitionMethod::closeness);
}

TEST(Partition, gives_back_the_table_between_clusters_as_their_median_distances) {
    const PairTable table = read_pair_table(example("latency_us.csv"));
    const Metric metric = table4();
    const auto distances = cluster_distances(metric, partition(metric, 0.3));
    for (std::size_t a = 0; a < table.size(); ++a)
        for (std::size_t b = 0; b < table.size(); ++b) {
            ASSERT_EQ(distances(a, b).has_value(), table.cells(a, b).has_value()) << a << ' ' << b;
            if (!distances(a, b)) continue;
            EXPECT_NEAR(*distances(a, b), *table.cells(a, b) * 1e-6, 1e-15);
        }
}

TEST(Partition, takes_the_mean_of_the_middle_two_for_the_median_of_an_even_number) {
    const auto metric = triangle({{1, 1, 40}, {1, 10}, {30}});
    EXPECT_EQ(*cluster_distances(metric, {0, {{0, 1}, {2, 3}}, {}})(0, 1), 5.5);
}

TEST(Metric, expands_a_grid_over_its_nodes) {
    const Network network = read_network(example("network.json"));
    const Metric by_latency = to_metric(network, MetricKind::latency);
    ASSERT_EQ(by_latency.size(), 88U);
    EXPECT_EQ(by_latency.names[31], "c1-0");
    EXPECT_EQ(partition(by_latency, 0.3).clusters, consecutive(table4_sizes));
    // By bandwidth only the three sites differ.
    EXPECT_EQ(partition(to_metric(network, MetricKind::bandwidth), 0.3).clusters,
              consecutive({60, 8, 20}));
}

TEST(Metric, takes_a_cluster_with_an_unknown_inside_as_one_entry) {
    const Network network =
        parse_network(R"({"format":"espalier-network","version":1,"model":"grid",
        "clusters":[{"name":"a","size":9,"broadcast_s":1},{"name":"b","nodes":["b0"]},
                    {"name":"c","size":2,"local":{"latency_s":1,"gap_s":1}}],
        "latency_s":[[0,2,9],[2,0,9],[9,9,0]],"gap_s":[[0,1,1],[1,0,1],[1,1,0]]})",
                      "grid.json");
    const Metric metric = to_metric(network, MetricKind::latency);
    EXPECT_THAT(metric.names, ElementsAre("a", "b0", "c-0", "c-1"));
    EXPECT_EQ(partition(metric, 0.2).clusters, (Clusters{{0, 1}, {2, 3}}));
}

TEST(Metric, reads_latency_bandwidth_and_hops_from_a_physical_graph) {
    // Two racks of two hosts; the rack of 0 and 1 has the slower links.
    const Network network =
        parse_network(R"({"format":"espalier-network","version":1,"model":"links",
        "nodes":[{"name":"a","cycle_time":1},{"name":"b","cycle_time":1},{"name":"c","cycle_time":1},
                 {"name":"d","cycle_time":1},{"name":"r"},{"name":"s"}],
        "links":[{"name":"1","from":"a","to":"r","bandwidth":10,"latency":1,"kind":"bidirectional"},
                 {"name":"2","from":"b","to":"r","bandwidth":10,"latency":1,"kind":"bidirectional"},
                 {"name":"3","from":"c","to":"s","bandwidth":40,"latency":1,"kind":"bidirectional"},
                 {"name":"4","from":"d","to":"s","bandwidth":40,"latency":1,"kind":"bidirectional"},
                 {"name":"5","from":"r","to":"s","bandwidth":20,"latency":5,"kind":"bidirectional"}]})",
                      "links.json");
    const Metric latency = to_metric(network, MetricKind::latency);
    EXPECT_EQ(latency.names, (std::vector<std::string>{"a", "b", "c", "d"}));
    EXPECT_EQ(*latency.distance(0, 1), 2);
    EXPECT_EQ(*latency.distance(0, 3), 7);
    const Metric bandwidth = to_metric(network, MetricKind::bandwidth);
    EXPECT_DOUBLE_EQ(*bandwidth.distance(2, 3), 1.0 / 40);
    EXPECT_DOUBLE_EQ(*bandwidth.distance(1, 2), 1.0 / 10);
    const Metric hops = to_metric(network, MetricKind::hops);
    EXPECT_EQ(*hops.distance(0, 1), 2);
    EXPECT_EQ(*hops.distance(0, 2), 3);
    EXPECT_EQ(partition(hops, 0.2).clusters, (Clusters{{0, 1}, {2, 3}}));
    EXPECT_EQ(partition(bandwidth, 0.2).clusters, (Clusters{{0, 1}, {2, 3}}))
        << "c to d is the fastest, so that only a and b are left to each other";
}

TEST(Metric, reads_startup_and_bandwidth_of_a_pairwise_network) {
    const Network network =
        parse_network(R"({"format":"espalier-network","version":1,"model":"pairwise",
        "nodes":[{"name":"a"},{"name":"b"},{"name":"c"}],
        "startup_s":[[0,1,3],[1,0,3],[3,null,0]],
        "bandwidth_Bps":[[0,10,40],[10,0,10],[40,10,0]]})",
                      "pairs.json");
    EXPECT_EQ(partition(to_metric(network, MetricKind::latency), 0.2).clusters,
              (Clusters{{0, 1}, {2}}));
    EXPECT_FALSE(to_metric(network, MetricKind::latency).distance(2, 1).has_value());
    const Metric bandwidth = to_metric(network, MetricKind::bandwidth);
    EXPECT_DOUBLE_EQ(*bandwidth.distance(0, 2), 1.0 / 40);
    EXPECT_EQ(partition(bandwidth, 0.2).clusters, (Clusters{{0, 2}, {1}}));
}

TEST(Metric, takes_cells_of_a_table_for_what_they_are_said_to_be) {
    const PairTable table = parse_pair_table(",a,b,c\na,,4,2\nb,4,,4\nc,2,4,\n", "t.csv");
    EXPECT_DOUBLE_EQ(*to_metric(table, MetricKind::latency, TimeUnit::ms).distance(0, 1), 0.004);
    EXPECT_EQ(partition(to_metric(table, MetricKind::hops), 0.2).clusters, (Clusters{{0, 2}, {1}}));
    EXPECT_EQ(partition(to_metric(table, MetricKind::bandwidth), 0.2).clusters,
              (Clusters{{0, 1, 2}}));
}

TEST(Metric, says_which_model_does_not_know_the_metric) {
    const auto message = [](const std::string& text, MetricKind kind) -> std::string {
        try {
            (void)to_metric(parse_network(text, "net.json"), kind, Bytes(1), "net.json");
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(message(R"({"format":"espalier-network","version":1,"model":"sender",
        "nodes":[{"name":"a","transmission_time":1}]})",
                        MetricKind::latency),
                HasSubstr("net.json: model: "));
    EXPECT_THAT(message(R"({"format":"espalier-network","version":1,"model":"pairwise",
        "nodes":[{"name":"a"}],"startup_s":[[0]],"bandwidth_Bps":[[0]]})",
                        MetricKind::hops),
                HasSubstr("net.json: metric: a pairwise network does not say"));
    EXPECT_THAT(message(R"({"format":"espalier-network","version":1,"model":"links",
        "nodes":[{"name":"a","cycle_time":1},{"name":"b","cycle_time":1}],"links":[]})",
                        MetricKind::hops),
                HasSubstr("net.json: links: no path leads from 'a' to 'b'"));
    EXPECT_THROW((void)parse_metric_kind("speed", "--metric"), InputError);
}

std::filesystem::path shared_data() {
    if (const char* folder = std::getenv("ESPALIER_SHARED_DATA")) return folder;
    return std::filesystem::path(ESPALIER_SOURCE_DIR).parent_path() / "shared/data";
}

TEST(Partition, takes_under_a_second_for_490_machines_all_over_the_world) {
    const auto file = shared_data() / "planetlab/PlanetLabData_1";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
    const PairTable table = read_pair_table(file);
    ASSERT_EQ(table.size(), 490U);
    EXPECT_EQ(table.names[489], "n489");
    const Metric metric = to_metric(table, MetricKind::latency, TimeUnit::ms);
    for (const auto method : {PartitionMethod::lowekamp, PartitionMethod::closeness}) {
        const auto start = std::chrono::steady_clock::now();
        const Partition found = partition(metric, 0.2, method);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        EXPECT_LT(taken.count(), 1);
        EXPECT_GT(found.clusters.size(), 10U);
        EXPECT_LT(found.clusters.size(), 490U);
        EXPECT_THAT(found.unplaced, IsEmpty());
    }
}

}  // namespace
}  // namespace espalier::network
