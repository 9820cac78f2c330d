#include "network/generate_tiers.hpp"
#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "network/json.hpp"

#include <gmock/gmock.h>

#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>

namespace espalier::network {
namespace {

using ::testing::HasSubstr;

LinksNetwork made(const RandomTiersOptions& options, std::uint64_t seed = 1) {
    Random random(seed);
    return random_tiers(options, random);
}

/// Whether every node reaches every other one, by merging sets.
bool is_connected(const LinksNetwork& network) {
    std::vector<std::size_t> leader(network.nodes.size());
    std::iota(leader.begin(), leader.end(), 0U);
    const auto leader_of = [&](std::size_t node) {
        while (leader[node] != node) node = leader[node];
        return node;
    };
    std::size_t parts = network.nodes.size();
    for (const auto& link : network.links) {
        const std::size_t from = leader_of(link.ends->from);
        const std::size_t to = leader_of(link.ends->to);
        if (from != to) --parts;
        leader[from] = to;
    }
    return parts == 1;
}

std::string class_of(const LinksNetwork::Link& link) {
    return link.name.substr(0, link.name.rfind('-'));
}

std::vector<std::size_t> degrees(const LinksNetwork& network) {
    std::vector<std::size_t> degree(network.nodes.size(), 0);
    for (const auto& link : network.links) {
        ++degree[link.ends->from];
        ++degree[link.ends->to];
    }
    return degree;
}

TEST(RandomTiers, have_exactly_the_hosts_routers_and_links_asked_for_and_are_connected) {
    constexpr std::array<RandomTiersOptions, 14> sizes{
        {{.hosts = 37, .routers = 47, .links = 91},
         {.hosts = 70, .routers = 103, .links = 182},
         {.hosts = 1, .routers = 0, .links = 0},
         {.hosts = 1, .routers = 1, .links = 5},
         {.hosts = 2, .routers = 0, .links = 1},
         {.hosts = 9, .routers = 0, .links = 8},
         {.hosts = 4, .routers = 1, .links = 6},
         {.hosts = 3, .routers = 2, .links = 9},
         {.hosts = 5, .routers = 3, .links = 7},
         {.hosts = 5, .routers = 3, .links = 40},
         {.hosts = 2, .routers = 60, .links = 61},
         {.hosts = 100, .routers = 4, .links = 130},
         {.hosts = 7, .routers = 9, .links = 17},
         {.hosts = 500, .routers = 635, .links = 1230}}};
    for (const auto& wanted : sizes)
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const LinksNetwork network = made(wanted, seed);
            SCOPED_TRACE(::testing::Message() << wanted.hosts << ' ' << wanted.routers << ' '
                                              << wanted.links << " seed " << seed);
            EXPECT_EQ(network.hosts().size(), wanted.hosts);
            EXPECT_EQ(network.nodes.size(), wanted.hosts + wanted.routers);
            EXPECT_EQ(network.links.size(), wanted.links);
            EXPECT_TRUE(is_connected(network));
            EXPECT_NO_THROW(Network{network});
        }
}

TEST(RandomTiers, hang_stars_of_hosts_on_metropolitan_networks_on_a_wide_area) {
    std::size_t most_central_hosts = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const LinksNetwork network = made({.hosts = 70, .routers = 103, .links = 182}, seed);
        const auto level_of = [&](std::size_t node) {
            const std::string& name = network.nodes[node].name;
            return name.starts_with('h') ? std::string("host") : name.substr(0, 3);
        };
        const std::map<std::string, std::set<std::set<std::string>>> joins{
            {"wan", {{"wan"}}},
            {"man-wan", {{"man", "wan"}}},
            {"man", {{"man"}}},
            {"lan-man", {{"lan", "man"}, {"host", "man"}}},
            {"lan", {{"lan", "host"}, {"host"}}}};
        std::map<std::string, std::size_t> counts;
        for (const auto& link : network.links) {
            const std::set ends{level_of(link.ends->from), level_of(link.ends->to)};
            EXPECT_TRUE(joins.at(class_of(link)).contains(ends)) << link.name;
            EXPECT_EQ(link.kind, LinksNetwork::Kind::bidirectional);
            ++counts[class_of(link)];
        }
        EXPECT_EQ(counts.size(), 5U);
        std::size_t wide = 0;
        std::size_t central_hosts = 0;
        const auto degree = degrees(network);
        for (std::size_t node = 0; node < network.nodes.size(); ++node) {
            if (level_of(node) == "wan") ++wide;
            if (level_of(node) == "host" && degree[node] > 1) ++central_hosts;
        }
        EXPECT_GT(counts["wan"], wide) << "the wide area has loops";
        EXPECT_LE(central_hosts, 11U) << "30% of 35 local networks";
        most_central_hosts = std::max(most_central_hosts, central_hosts);
    }
    EXPECT_GT(most_central_hosts, 3U);
}

TEST(RandomTiers, have_parallel_links_only_where_nothing_else_is_left) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        std::set<std::set<std::size_t>> joined;
        for (const auto& link : made({}, seed).links)
            EXPECT_TRUE(joined.insert({link.ends->from, link.ends->to}).second) << link.name;
    }
}

TEST(RandomTiers, draw_cycle_times_and_bandwidths_that_spread_by_class) {
    std::set<double> cycle_times;
    std::map<std::string, std::set<double>> bandwidths;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const LinksNetwork network = made({}, seed);
        for (const std::size_t host : network.hosts())
            cycle_times.insert(*network.nodes[host].cycle_time);
        for (const auto& link : network.links) {
            bandwidths[class_of(link)].insert(link.bandwidth.value);
            EXPECT_EQ(link.latency.value, 0);
        }
    }
    EXPECT_GE(cycle_times.size(), 8U);
    EXPECT_EQ(*cycle_times.begin(), 1);
    EXPECT_EQ(*cycle_times.rbegin(), 10);
    for (const auto& [name, values] : bandwidths) EXPECT_GE(values.size(), 5U) << name;
    EXPECT_LT(*bandwidths["wan"].begin(), *bandwidths["lan"].begin());
}

TEST(RandomTiers, scale_bandwidths_and_draw_cycle_times_from_a_range_and_latencies_by_class) {
    const LinksNetwork plain = made({}, 5);
    const LinksNetwork scaled = made({.cycle_times = RandomTiersOptions::CycleTimes{2, 3},
                                      .bandwidth_factor = 125e3,
                                      .latencies = true},
                                     5);
    double longest = 0;
    for (std::size_t k = 0; k < plain.links.size(); ++k) {
        EXPECT_DOUBLE_EQ(scaled.links[k].bandwidth.value, 125e3 * plain.links[k].bandwidth.value);
        const double latency = scaled.links[k].latency.value;
        EXPECT_GT(latency, 0);
        EXPECT_LT(latency, class_of(scaled.links[k]) == "wan" ? 0.06 : 0.002);
        longest = std::max(longest, latency);
    }
    EXPECT_GT(longest, 0.005);
    for (const std::size_t host : scaled.hosts()) {
        EXPECT_GE(*scaled.nodes[host].cycle_time, 2);
        EXPECT_LE(*scaled.nodes[host].cycle_time, 3);
    }
}

TEST(RandomTiers, are_the_same_for_one_seed_and_differ_between_seeds) {
    std::set<std::string> texts;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        texts.insert(to_json(Network(made({}, seed))).dump());
        EXPECT_EQ(to_json(Network(made({}, seed))), to_json(Network(made({}, seed))));
    }
    EXPECT_EQ(texts.size(), 20U);
}

TEST(RandomTiers, have_the_papers_proportions_by_default) {
    EXPECT_EQ(default_tiers_routers(37), 47U);
    EXPECT_EQ(default_tiers_links(37, 47), 91U);
    EXPECT_EQ(default_tiers_links(1, 0), 0U);
    EXPECT_EQ(default_tiers_links(2, 0), 1U);
    EXPECT_EQ(default_tiers_links(30, 12), 45U);
}

TEST(RandomTiers, refuse_what_can_not_be) {
    const auto problem = [](const RandomTiersOptions& options) -> std::string {
        try {
            (void)made(options);
        } catch (const InputError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_EQ(problem({.hosts = 37, .routers = 47, .links = 82}),
              "links: 84 nodes need at least 83 links, not 82");
    EXPECT_EQ(problem({.hosts = 37, .routers = 47, .links = 83}), "");
    EXPECT_THAT(problem({.hosts = 0, .routers = 2, .links = 1}), HasSubstr("at least one host"));
    EXPECT_THAT(problem({.hosts = 1, .routers = 0, .links = 1}), HasSubstr("nothing to join"));
    EXPECT_THAT(problem({.cycle_times = RandomTiersOptions::CycleTimes{0, 1}}),
                HasSubstr("0 < least <= most"));
    EXPECT_THAT(problem({.bandwidth_factor = 0}), HasSubstr("must be positive"));
}

}  // namespace
}  // namespace espalier::network
