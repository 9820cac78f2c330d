#include "directory/assemble.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/random.hpp"
#include "directory/known_costs.hpp"
#include "directory/shared_links.hpp"
#include "directory/sqlite_directory.hpp"
#include "directory/statements.hpp"
#include "memory_source.hpp"
#include "network/json.hpp"
#include "temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

namespace espalier::directory {
namespace {

using network::CostTable;
using network::Network;
using testing::ElementsAre;
using testing::HasSubstr;

Pair pair(std::string from, std::string to) { return {std::move(from), std::move(to)}; }

Network assembled(std::vector<Measurement> measurements, const AssembleOptions& options = {},
                  double at = 1000) {
    return assemble(MemorySource(std::move(measurements)), "memory", second(at), options);
}

AssembleOptions as(Model model) { return {.rule = {}, .model = model}; }

/// Added to a directory file and asked for again.
Network through_a_directory(const Network& network) {
    const TemporaryFolder folder;
    SqliteDirectory directory(folder / "d.db", SqliteDirectory::Access::write);
    const Statements said = statements_of(network, second(0), "test");
    directory.add(said.measurements, said.nodes);
    return assemble(directory, "d.db", second(1));
}

std::string file_of(const std::string& name) {
    return fmt::format("{}/tests/endtoend/networks/{}", ESPALIER_SOURCE_DIR, name);
}

network::PairwiseNetwork random_pairwise(Random& random) {
    const std::size_t size = 2 + random.below(7);
    network::PairwiseNetwork network{{},
                                     Matrix<std::optional<Seconds>>(size, size),
                                     Matrix<std::optional<BytesPerSecond>>(size, size),
                                     {},
                                     {}};
    const bool capped = random.below(3) == 0;
    for (std::size_t i = 0; i < size; ++i) {
        network.nodes.push_back(fmt::format("{}{}", random.below(2) == 0 ? "z" : "a", i));
        if (capped) network.egress.emplace_back(random.uniform(1e5, 1e7));
        if (capped) network.ingress.emplace_back(random.uniform(1e5, 1e7));
        for (std::size_t j = 0; j < size; ++j) {
            if (i == j) continue;
            if (random.below(5) > 0) network.startup(i, j) = Seconds(random.uniform(0, 0.1));
            if (random.below(5) > 0)
                network.bandwidth(i, j) = BytesPerSecond(random.uniform(1e4, 1e7));
        }
        // Some node knows of this one.
        const std::size_t other = (i + 1) % size;
        network.startup(i, other) = Seconds(0);
        network.bandwidth(i, other) = BytesPerSecond(1e6);
    }
    return network;
}

TEST(APairwiseNetwork, comes_back_from_a_directory_as_it_was) {
    const Network example = network::read_network(file_of("pairwise.json"));
    EXPECT_EQ(fingerprint(through_a_directory(example)), fingerprint(example));
    Random random(11);
    for (int round = 0; round < 6; ++round) {
        const Network network(random_pairwise(random));
        EXPECT_EQ(fingerprint(through_a_directory(network)), fingerprint(network)) << round;
    }
}

TEST(AGridNetwork, comes_back_with_its_clusters_its_tables_and_what_is_shared) {
    const Network example =
        network::read_network(fmt::format("{}/examples/table4/network.json", ESPALIER_SOURCE_DIR));
    EXPECT_EQ(fingerprint(through_a_directory(example)), fingerprint(example));
}

TEST(AGridNetwork, comes_back_flat_and_with_names_from_its_nodes) {
    const Network back = through_a_directory(network::read_network(file_of("sites.json")));
    ASSERT_NE(back.grid(), nullptr);
    std::vector<std::pair<std::string, std::size_t>> clusters;
    for (const auto& cluster : back.grid()->clusters)
        clusters.emplace_back(cluster.name, cluster.size);
    EXPECT_THAT(clusters, ElementsAre(testing::Pair("n", 3U), testing::Pair("old", 3U),
                                      testing::Pair("new", 1U), testing::Pair("alone", 1U)));
    EXPECT_TRUE(back.grid()->clusters.front().within_node);
    EXPECT_FALSE(back.grid()->links(0, 1)->latency.is_constant());
}

TEST(Statements, are_not_made_by_networks_that_say_nothing_of_pairs) {
    const Network sender = network::read_network(file_of("sender.json"));
    EXPECT_THROW((void)statements_of(sender, second(0), "test"), InputError);
    const Network grid = network::read_network(file_of("grid.json"));
    EXPECT_THAT(statements_of(grid, second(0), "test").left_out,
                ElementsAre(HasSubstr("(here 1)")));
}

TEST(GapLines, go_through_two_points_and_through_none_below_zero) {
    const auto line = [](std::vector<CostTable::Entry> entries) {
        return fit_line(CostTable(std::move(entries)));
    };
    const auto exact = line({{Bytes(0), Seconds(0.5)}, {Bytes(1000), Seconds(2.5)}});
    EXPECT_NEAR(exact.startup.value, 0.5, 1e-12);
    EXPECT_NEAR(exact.bandwidth->value, 500, 1e-9);
    const auto one = line({{Bytes(1000), Seconds(2)}});
    EXPECT_EQ(one.startup, Seconds(0));
    EXPECT_NEAR(one.bandwidth->value, 500, 1e-9);
    EXPECT_FALSE(fit_line(CostTable(Seconds(3))).bandwidth);
    EXPECT_EQ(fit_line(CostTable(Seconds(3))).startup, Seconds(3));
    // Its line would start below zero.
    const auto steep = line({{Bytes(100), Seconds(0.5)}, {Bytes(1000), Seconds(10)}});
    EXPECT_EQ(steep.startup, Seconds(0));
    EXPECT_GT(steep.bandwidth->value, 100);
    EXPECT_LT(steep.bandwidth->value, 200);
    // It falls.
    EXPECT_FALSE(line({{Bytes(1), Seconds(2)}, {Bytes(2), Seconds(1)}}).bandwidth);
}

TEST(GapLines, have_the_least_squares_of_relative_deviations) {
    Random random(3);
    for (int round = 0; round < 50; ++round) {
        std::vector<CostTable::Entry> entries;
        for (std::uint64_t size = 1; size <= 1U << 20U; size *= 16)
            entries.push_back({Bytes(size), Seconds((1e-3 + static_cast<double>(size) / 1e6) *
                                                    random.uniform(0.9, 1.1))});
        const CostTable gap(entries);
        const auto deviation = [&](double startup, double slope) {
            double sum = 0;
            for (const auto& [size, time] : gap.entries()) {
                const double off =
                    (startup + slope * static_cast<double>(size.value)) / time.value - 1;
                sum += off * off;
            }
            return sum;
        };
        const GapLine line = fit_line(gap);
        const double startup = line.startup.value;
        const double slope = 1 / line.bandwidth->value;
        const double least = deviation(startup, slope);
        for (const double factor : {0.999, 1.001}) {
            EXPECT_LE(least, deviation(startup * factor, slope));
            EXPECT_LE(least, deviation(startup, slope * factor));
        }
    }
}

TEST(PairwiseNetworks, take_start_up_and_bandwidth_from_latency_and_gaps) {
    const Network network = assembled(
        {measured(1, {"a", "b"}, Latency{0.01}), measured(1, {"a", "b"}, Gap{0.002, 1000}),
         measured(1, {"a", "b"}, Gap{0.011, 10000}), measured(1, {"b", "a"}, Bandwidth{5e5})});
    const auto* pairwise = network.pairwise();
    ASSERT_NE(pairwise, nullptr);
    EXPECT_NEAR(pairwise->startup(0, 1)->value, 0.011, 1e-12);
    EXPECT_NEAR(pairwise->bandwidth(0, 1)->value, 1e6, 1e-3);
    EXPECT_FALSE(pairwise->startup(1, 0)) << "nobody measured it";
    EXPECT_EQ(pairwise->bandwidth(1, 0), BytesPerSecond(5e5));
}

TEST(PairwiseNetworks, count_a_latency_that_grows_with_size) {
    std::vector<Measurement> measurements{measured(1, {"a", "b"}, Gap{0.002, 1000}),
                                          measured(1, {"a", "b"}, Gap{0.011, 10000})};
    for (const auto& [bytes, latency] : {std::pair(1000U, 0.01), {10000U, 0.019}}) {
        measurements.push_back(measured(1, {"a", "b"}, Latency{latency}));
        measurements.back().size = Bytes(bytes);
    }
    const Network network = assembled(measurements, as(Model::pairwise));
    // 0.012 s and 0.030 s in all.
    EXPECT_NEAR(network.pairwise()->startup(0, 1)->value, 0.010, 1e-9);
    EXPECT_NEAR(network.pairwise()->bandwidth(0, 1)->value, 5e5, 1e-3);
}

TEST(Networks, take_the_newer_of_bandwidth_and_gap) {
    const std::vector<Measurement> measurements{measured(1, {"a", "b"}, Latency{0.01}),
                                                measured(1, {"a", "b"}, Gap{0.001, 1000}),
                                                measured(2, {"a", "b"}, Bandwidth{5e5})};
    EXPECT_EQ(assembled(measurements).pairwise()->bandwidth(0, 1), BytesPerSecond(5e5));
    EXPECT_EQ(assembled(measurements, {}, 1).pairwise()->bandwidth(0, 1), BytesPerSecond(1e6));
}

TEST(Networks, list_only_nodes_of_which_something_counts) {
    const std::vector<Measurement> measurements{measured(1, {"gone", "b"}, Latency{0.01}),
                                                measured(90, {"n10", "n9"}, Latency{0.01}),
                                                measured(90, {"b", "n9"}, Latency{0.01})};
    AssembleOptions recent;
    recent.rule = parse_rule("newest:30s", "x");
    EXPECT_THAT(assembled(measurements, recent, 100).pairwise()->nodes,
                ElementsAre("b", "n9", "n10"));
    EXPECT_EQ(assembled(measurements, {}, 100).pairwise()->size(), 4U);
}

TEST(Networks, of_nothing_are_an_error) {
    try {
        (void)assembled({measured(5, {"a", "b"}, Latency{1})}, {}, 3);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("memory: no pair was measured"));
    }
}

TEST(Networks, say_where_they_come_from) {
    const Json measured_json =
        assembled({measured(1, {"a", "b"}, Latency{1}), measured(7, {"a", "b"}, Latency{2}),
                   measured(3, {"a", "b"}, Bandwidth{2}), measured(9, {"a", "b"}, Latency{3})},
                  {}, 8)
            .measured();
    EXPECT_EQ(measured_json.at("source"), "memory");
    EXPECT_EQ(measured_json.at("rule"), "newest");
    EXPECT_EQ(measured_json.at("at"), "2026-11-21T00:00:08Z");
    EXPECT_EQ(measured_json.at("measurements"), 2);
    EXPECT_EQ(measured_json.at("oldest"), "2026-11-21T00:00:03Z");
    EXPECT_EQ(measured_json.at("newest"), "2026-11-21T00:00:07Z");
    EXPECT_EQ(measured_json.at("oldest_age_s"), 5);
}

TEST(GapTables, of_a_newer_session_supersede_older_values_between_its_sizes) {
    std::vector<Measurement> measurements{
        measured(1, {"a", "b"}, Latency{0.01}), measured(1, {"a", "near a"}, Latency{0.001}),
        measured(1, {"b", "near b"}, Latency{0.001}), measured(1, {"a", "b"}, Gap{1e-6, 1}),
        measured(1, {"a", "b"}, Gap{2e-6, 64}), measured(1, {"a", "b"}, Gap{9e-6, 4096}),
        // The network became slower, and another choice of sizes tells it.
        measured(5, {"a", "b"}, Gap{1e-5, 1}), measured(5, {"a", "b"}, Gap{5e-5, 1024})};
    const auto entries = [&](double at) {
        const Network network = assembled(measurements, as(Model::grid), at);
        std::vector<std::uint64_t> sizes;
        for (const auto& [size, time] : network.grid()->links(0, 1)->gap.entries())
            sizes.push_back(size.value);
        return sizes;
    };
    EXPECT_THAT(entries(3), ElementsAre(1, 64, 4096));
    EXPECT_THAT(entries(5), ElementsAre(1, 1024, 4096)) << "64 lies between, 4096 beyond";
    // A single size speaks for itself alone.
    measurements.push_back(measured(7, {"a", "b"}, Gap{3e-5, 64}));
    EXPECT_THAT(entries(7), ElementsAre(1, 64, 1024, 4096));
    // One that holds for any size ends all that.
    measurements.push_back(measured(8, {"a", "b"}, Gap{1e-4, 0}));
    EXPECT_THAT(entries(8), ElementsAre(0));
}

std::vector<Measurement> two_clusters() {
    // a0, a1 and a2 near each other, b0 and b1 likewise; one pair each tells the rates.
    std::vector<Measurement> measurements;
    const std::vector<std::string> nodes{"a0", "a1", "a2", "b0", "b1"};
    for (const auto& from : nodes)
        for (const auto& to : nodes)
            if (from != to)
                measurements.push_back(
                    measured(1, {from, to}, Latency{from[0] == to[0] ? 1e-4 : 1e-2}));
    for (const auto& [from, to, rate] :
         {std::tuple("a2", "a1", 1e8), {"b1", "b0", 2e8}, {"a1", "b1", 1e6}, {"b0", "a2", 2e6}}) {
        measurements.push_back(measured(1, {from, to}, Gap{1e3 / rate, 1000}));
        measurements.push_back(measured(1, {from, to}, Gap{1e6 / rate, 1000000}));
    }
    return measurements;
}

TEST(Clusters, lend_their_pairs_what_one_of_them_has) {
    const Network network = assembled(two_clusters());
    ASSERT_NE(network.grid(), nullptr) << "pairs without a rate of their own call for clusters";
    const auto& grid = *network.grid();
    ASSERT_EQ(grid.size(), 2U);
    EXPECT_THAT(grid.clusters[0].nodes, ElementsAre("a0", "a1", "a2"));
    EXPECT_EQ(grid.clusters[0].name, "a");
    EXPECT_EQ(grid.clusters[0].local()->gap(Bytes(1000000)), Seconds(1e-2));
    EXPECT_EQ(grid.clusters[1].local()->gap(Bytes(1000000)), Seconds(5e-3));
    EXPECT_EQ(grid.links(0, 1)->gap(Bytes(1000000)), Seconds(1));
    EXPECT_EQ(grid.links(1, 0)->gap(Bytes(1000000)), Seconds(0.5));
    EXPECT_EQ(grid.links(0, 1)->latency(Bytes(1)), Seconds(1e-2));
    EXPECT_EQ(network.measured().at("tolerance"), 0.2);
}

TEST(Clusters, of_whose_inside_no_rate_is_known_fall_apart) {
    auto measurements = two_clusters();
    std::erase_if(measurements, [](const Measurement& m) {
        return m.quantity == Quantity::gap && m.pair.from[0] == 'b' && m.pair.to[0] == 'b';
    });
    const Network network = assembled(measurements);
    EXPECT_EQ(network.grid()->size(), 3U);
    EXPECT_TRUE(network.grid()->links(0, 2)) << "a to b1";
    EXPECT_FALSE(network.grid()->links(0, 1)) << "nobody measured from a to b0";
}

TEST(Clusters, are_not_needed_where_each_pair_has_its_own_rate) {
    std::vector<Measurement> measurements;
    for (const auto& [from, to] : {std::pair("a", "b"), {"b", "a"}}) {
        measurements.push_back(measured(1, {from, to}, Latency{0.01}));
        measurements.push_back(measured(1, {from, to}, Gap{0.001, 1000}));
    }
    EXPECT_NE(assembled(measurements).pairwise(), nullptr);
    EXPECT_NE(assembled(measurements, as(Model::grid)).grid(), nullptr);
}

/// Each of `names` to `to` alone at `alone` bytes per second.
std::vector<Measurement> uplink(const std::vector<std::string>& names, double alone) {
    std::vector<Measurement> measurements;
    for (const auto& name : names) {
        measurements.push_back(measured(1, {name, "to" + name}, Latency{0.01}));
        measurements.push_back(measured(1, {name, "to" + name}, Bandwidth{alone}));
    }
    return measurements;
}

TEST(SharedLinks, are_pairs_that_have_clearly_less_together_than_alone) {
    auto measurements = uplink({"a", "b", "c"}, 10);
    const auto together = [&](double at, const std::string& x, const std::string& y, double rate) {
        measurements.push_back(
            measured(at, pair(x, "to" + x), Bandwidth{rate}, {pair(y, "to" + y)}));
        measurements.push_back(
            measured(at, pair(y, "to" + y), Bandwidth{rate}, {pair(x, "to" + x)}));
    };
    together(2, "a", "b", 6);
    together(2, "a", "c", 9.9);
    const Network network = assembled(measurements);
    ASSERT_NE(network.grid(), nullptr);
    ASSERT_EQ(network.grid()->shared.size(), 1U);
    const auto& shared = network.grid()->shared.front();
    EXPECT_EQ(shared.capacity, BytesPerSecond(12));
    EXPECT_EQ(shared.pairs.size(), 2U);
    // What they had together is not what they have alone.
    const auto find = [&](const std::string& name) {
        const auto& clusters = network.grid()->clusters;
        const auto found = std::ranges::find(clusters, name, &network::Cluster::name);
        return static_cast<std::size_t>(found - clusters.begin());
    };
    EXPECT_NEAR(network.grid()->links(find("a"), find("toa"))->gap(Bytes(100)).value, 10, 1e-9);
    // A later look at both finds that they no longer share.
    together(3, "a", "b", 10);
    EXPECT_NE(assembled(measurements).pairwise(), nullptr);
}

TEST(SharedLinks, are_one_where_each_two_of_their_pairs_share) {
    auto measurements = uplink({"a", "b", "c", "d"}, 10);
    const auto together = [&](const std::string& x, const std::string& y) {
        measurements.push_back(measured(2, pair(x, "to" + x), Bandwidth{5}, {pair(y, "to" + y)}));
        measurements.push_back(measured(2, pair(y, "to" + y), Bandwidth{5}, {pair(x, "to" + x)}));
    };
    together("a", "b");
    together("b", "c");
    EXPECT_EQ(assembled(measurements).grid()->shared.size(), 2U) << "nobody saw that a and c share";
    together("a", "c");
    const Network network = assembled(measurements);
    ASSERT_EQ(network.grid()->shared.size(), 1U);
    EXPECT_EQ(network.grid()->shared.front().pairs.size(), 3U);
    EXPECT_EQ(network.grid()->shared.front().capacity, BytesPerSecond(10));
}

TEST(SharedLinks, suppose_that_who_was_not_looked_at_had_as_much) {
    auto measurements = uplink({"a", "b"}, 10);
    measurements.push_back(measured(2, {"a", "toa"}, Bandwidth{4}, {{"b", "tob"}}));
    EXPECT_EQ(assembled(measurements).grid()->shared.front().capacity, BytesPerSecond(8));
}

TEST(SharedLinks, say_nothing_where_nobody_measured_alone) {
    std::vector<Measurement> measurements{measured(1, {"a", "b"}, Latency{1}),
                                          measured(1, {"a", "b"}, Bandwidth{4}, {{"c", "d"}})};
    const Network network = assembled(measurements);
    ASSERT_NE(network.pairwise(), nullptr);
    EXPECT_THAT(network.pairwise()->nodes, ElementsAre("a", "b"));
    EXPECT_FALSE(network.pairwise()->bandwidth(0, 1));
    EXPECT_THAT(network.measured().at("warnings").at(0).get<std::string>(), HasSubstr("1 group"));
}

TEST(SharedLinks, may_be_measured_by_gaps) {
    auto measurements = two_clusters();
    measurements.push_back(measured(2, {"a1", "b1"}, Gap{2, 1000000}, {{"a0", "b0"}}));
    measurements.push_back(measured(2, {"a0", "b0"}, Gap{2, 1000000}, {{"a1", "b1"}}));
    const Network network = assembled(measurements);
    ASSERT_EQ(network.grid()->shared.size(), 1U);
    const auto& shared = network.grid()->shared.front();
    EXPECT_EQ(shared.capacity, BytesPerSecond(1e6));
    EXPECT_THAT(shared.pairs, ElementsAre(std::pair(0U, 1U))) << "both are from a to b";
}

}  // namespace
}  // namespace espalier::directory
