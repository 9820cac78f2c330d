#include "network/generate.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "network/json.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <regex>

namespace espalier::network {
namespace {

std::string example(const std::string& file) {
    return std::string(ESPALIER_SOURCE_DIR) + "/examples/table4/" + file;
}

TEST(RandomGrid, draws_latency_gap_and_broadcast_evenly_from_the_ranges_of_table_3) {
    Random random(1);
    double latency = 0;
    double gap = 0;
    double broadcast = 0;
    constexpr std::size_t rounds = 200;
    constexpr std::size_t n = 10;
    for (std::size_t round = 0; round < rounds; ++round) {
        RandomGridOptions options;
        options.clusters = n;
        const GridNetwork grid = random_grid(options, random);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                ASSERT_EQ(grid.links(i, j).has_value(), i != j);
                if (i == j) continue;
                const double l = grid.links(i, j)->latency(Bytes(1)).value;
                const double g = grid.links(i, j)->gap(Bytes(1)).value;
                ASSERT_TRUE(l >= 1e-3 && l < 15e-3 && g >= 0.1 && g < 0.6);
                latency += l / (rounds * n * (n - 1));
                gap += g / (rounds * n * (n - 1));
            }
            const double t = std::get<Cluster::KnownBroadcast>(grid.clusters[i].inside).time.value;
            ASSERT_TRUE(t >= 0.02 && t < 3);
            broadcast += t / (rounds * n);
        }
    }
    // Means of 18,000 and 2,000 draws: within five standard errors.
    EXPECT_NEAR(latency, 8e-3, 5 * 14e-3 / std::sqrt(12.0 * rounds * n * (n - 1)));
    EXPECT_NEAR(gap, 0.35, 5 * 0.5 / std::sqrt(12.0 * rounds * n * (n - 1)));
    EXPECT_NEAR(broadcast, 1.51, 5 * 2.98 / std::sqrt(12.0 * rounds * n));
}

TEST(RandomGrid, makes_one_grid_of_one_seed_and_reads_back_from_its_file) {
    const auto text = [](std::uint64_t seed) {
        Random random(seed);
        return to_json(Network(random_grid({}, random))).dump();
    };
    EXPECT_EQ(text(42), text(42));
    EXPECT_NE(text(42), text(43));
    EXPECT_EQ(to_json(parse_network(text(42), "grid.json")).dump(), text(42));
}

TEST(RandomGrid, draws_once_for_both_directions_where_asked) {
    Random random(3);
    RandomGridOptions options;
    options.symmetric = true;
    const GridNetwork grid = random_grid(options, random);
    EXPECT_EQ(*grid.links(2, 5), *grid.links(5, 2));
    options.symmetric = false;
    const GridNetwork other = random_grid(options, random);
    EXPECT_NE(*other.links(2, 5), *other.links(5, 2));
}

TEST(RandomGrid, keeps_to_other_ranges_and_sizes) {
    Random random(3);
    RandomGridOptions options;
    options.clusters = 3;
    options.nodes_per_cluster = 4;
    options.gap = {Seconds(2), Seconds(2)};
    const GridNetwork grid = random_grid(options, random);
    EXPECT_EQ(grid.clusters.size(), 3U);
    EXPECT_EQ(grid.clusters[1].size, 4U);
    EXPECT_EQ(grid.links(0, 1)->gap(Bytes(7)), Seconds(2));
}

TEST(RandomGrid, refuses_no_cluster_no_node_and_a_range_upside_down) {
    Random random(3);
    RandomGridOptions options;
    options.clusters = 0;
    EXPECT_THROW((void)random_grid(options, random), InputError);
    options = {};
    options.nodes_per_cluster = 0;
    EXPECT_THROW((void)random_grid(options, random), InputError);
    options = {};
    options.latency = {Seconds(2), Seconds(1)};
    EXPECT_THROW((void)random_grid(options, random), InputError);
    options = {};
    options.broadcast.low = Seconds(-1);
    EXPECT_THROW((void)random_grid(options, random), InputError);
}

TEST(ExpandLatencies, repeats_the_table_between_machines) {
    const PairTable table = parse_pair_table(",a,b\na,1,5\nb,7,\n", "t.csv");
    const PairTable machines = expand_latencies(table, {2, 2}, 0, 9);
    EXPECT_EQ(to_csv(machines), ",a-0,a-1,b-0,b-1\na-0,,1,5,5\na-1,1,,5,5\nb-0,7,7,,\nb-1,7,7,,\n");
}

TEST(ExpandLatencies, scales_each_unordered_pair_by_its_own_even_noise) {
    const PairTable table = parse_pair_table(",a,b\na,10,100\nb,300,20\n", "t.csv");
    const PairTable machines = expand_latencies(table, {40, 40}, 0.1, 4);
    double sum = 0;
    double least = 2;
    double most = 0;
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = 40; j < 80; ++j) {
            const double factor = *machines.cells(i, j) / 100;
            EXPECT_NEAR(*machines.cells(j, i) / 300, factor, 1e-12);
            sum += factor / 1600;
            least = std::min(least, factor);
            most = std::max(most, factor);
        }
    EXPECT_NEAR(sum, 1, 5 * 0.2 / std::sqrt(12.0 * 1600));
    EXPECT_TRUE(least >= 0.9 && least < 0.901 && most > 1.099 && most < 1.1)
        << least << ' ' << most;
    EXPECT_EQ(to_csv(expand_latencies(table, {3, 3}, 0.1, 4)),
              to_csv(expand_latencies(table, {3, 3}, 0.1, 4)));
    EXPECT_NE(to_csv(expand_latencies(table, {3, 3}, 0.1, 4)),
              to_csv(expand_latencies(table, {3, 3}, 0.1, 5)));
}

TEST(ExpandLatencies, refuses_sizes_that_do_not_fit_and_impossible_noise) {
    const PairTable table = parse_pair_table(",a,b\na,1,5\nb,7,\n", "t.csv");
    EXPECT_THROW((void)expand_latencies(table, {2}, 0, 0), InputError);
    EXPECT_THROW((void)expand_latencies(table, {2, 0}, 0, 0), InputError);
    EXPECT_THROW((void)expand_latencies(table, {2, 2}, -0.1, 0), InputError);
    EXPECT_THROW((void)expand_latencies(table, {2, 2}, 1, 0), InputError);
    EXPECT_THROW((void)expand_latencies(table, {2, 2}, std::nan(""), 0), InputError);
}

TEST(Table4Example, is_the_table_expanded_over_the_88_machines) {
    const PairTable clusters = read_pair_table(example("latency_us.csv"));
    const PairTable machines = expand_latencies(clusters, {31, 29, 6, 1, 1, 20}, 0, 0);
    EXPECT_EQ(to_csv(machines), to_csv(read_pair_table(example("latency_88_us.csv"))));
    std::ifstream hostfile(example("hostfile"));
    for (const std::string& name : machines.names) {
        std::string host;
        std::getline(hostfile, host);
        EXPECT_EQ(host, name);
    }
}

TEST(Table4Example, has_the_tables_latencies_in_its_network_and_platform) {
    const PairTable table = read_pair_table(example("latency_us.csv"));
    const Network network = read_network(example("network.json"));
    std::ifstream file(example("platform.xml"));
    const std::string platform{std::istreambuf_iterator<char>(file), {}};
    const auto number = [&](const std::string& pattern) {
        std::smatch found;
        return std::regex_search(platform, found, std::regex(pattern)) ? std::stod(found[1]) : -1;
    };
    for (std::size_t i = 0; i < table.size(); ++i) {
        const std::string& a = table.names[i];
        if (table.cells(i, i)) {
            EXPECT_NEAR(number("id=\"" + a + "\"[^>]*lat=\"([0-9.]+)us\""), *table.cells(i, i) / 2,
                        1e-9);
            EXPECT_NEAR(network.grid()->clusters[i].local()->latency(Bytes(0)).value,
                        *table.cells(i, i) * 1e-6, 1e-15);
        }
        for (std::size_t j = i + 1; j < table.size(); ++j) {
            const std::string link = "id=\"" + a + "-" + table.names[j] + "\"";
            const double latency = *table.cells(i, j);
            EXPECT_EQ(number(link + "[^>]*latency=\"([0-9.]+)us\""), latency);
            EXPECT_EQ(number(link + " bandwidth=\"([0-9.]+)MBps\""), latency < 1000 ? 125 : 12.5);
            EXPECT_NEAR(network.grid()->links(i, j)->latency(Bytes(0)).value, latency * 1e-6,
                        1e-15);
            EXPECT_NEAR(network.grid()->links(j, i)->gap(Bytes(1000000)).value,
                        latency < 1000 ? 0.008 : 0.08, 1e-12);
        }
    }
}

TEST(RandomSenders, classes_share_all_nodes_and_have_different_whole_times_in_the_range) {
    Random random(5);
    for (std::size_t classes = 1; classes <= 10; ++classes) {
        const SenderNetwork network = random_senders(
            {.nodes = 1000, .classes = classes, .least = 0.5, .most = 10.9, .integer = true},
            random);
        ASSERT_EQ(network.classes.size(), classes);
        EXPECT_EQ(network.size(), 1000);
        for (std::size_t c = 0; c < classes; ++c) {
            const auto& members = network.classes[c];
            EXPECT_FALSE(members.listed_as_node);
            EXPECT_GE(members.count, 1);
            EXPECT_EQ(members.transmission_time, std::round(members.transmission_time));
            EXPECT_GE(members.transmission_time, 1);
            EXPECT_LE(members.transmission_time, 10);
            if (c > 0) {
                EXPECT_LT(network.classes[c - 1].transmission_time, members.transmission_time);
            }
        }
    }
    EXPECT_THROW((void)random_senders({.nodes = 20, .classes = 11, .integer = true}, random),
                 InputError);
}

TEST(RandomSenders, distinct_nodes_are_listed_and_one_seed_gives_one_network) {
    const auto draw = [](std::uint64_t seed) {
        Random random(seed);
        return to_json(Network(random_senders({.nodes = 50, .classes = 0}, random)));
    };
    EXPECT_EQ(draw(7), draw(7));
    EXPECT_NE(draw(7), draw(8));
    EXPECT_EQ(draw(7).at("nodes").size(), 50);
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const Json document = draw(seed);
        for (const auto& node : document.at("nodes"))
            sum += node.at("transmission_time").get<double>();
    }
    EXPECT_NEAR(sum / 5000, 5.5, 0.2);  // even over 1..10: the mean's deviation is 0.037
}

TEST(RandomSenders, refuses_what_is_no_network) {
    Random random(1);
    EXPECT_THROW((void)random_senders({.nodes = 0}, random), InputError);
    EXPECT_THROW((void)random_senders({.nodes = 2, .classes = 3}, random), InputError);
    EXPECT_THROW((void)random_senders({.least = 0}, random), InputError);
    EXPECT_THROW((void)random_senders({.least = 3, .most = 2}, random), InputError);
}

}  // namespace
}  // namespace espalier::network
