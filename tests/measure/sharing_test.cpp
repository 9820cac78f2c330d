#include "measure/hidden_network.hpp"
#include "measure/method/sharing_plan.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <memory>

namespace espalier::measure {
namespace {

using test::HiddenNetwork;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double unhurried = 60;
constexpr double no_noise = 0;
constexpr double some_noise = 0.03;

/// What a survey believes, which may be wrong by a factor of two or three.
Surroundings blurred(const HiddenNetwork& network, Random& random) {
    Surroundings known = network.surroundings();
    for (std::size_t i = 0; i < known.clusters(); ++i)
        for (std::size_t j = 0; j < known.clusters(); ++j)
            if (i != j) known.alone(i, j) *= random.uniform(0.3, 2);
    return known;
}

std::vector<Bottleneck> find(const HiddenNetwork& network, double noise, double budget = unhurried,
                             std::uint64_t seed = 1) {
    Random random(seed);
    SharingPlan plan(blurred(network, random), network.round_trips, budget);
    EXPECT_LE(measure_hidden(network, plan, random, noise), budget);
    return plan.bottlenecks();
}

const Bottleneck* with(const std::vector<Bottleneck>& found, const std::vector<std::size_t>& from,
                       const std::vector<std::size_t>& to, bool both = false) {
    for (const Bottleneck& bottleneck : found)
        if (bottleneck.from == from && bottleneck.to == to && bottleneck.both == both)
            return &bottleneck;
    return nullptr;
}

/// Two clusters, three, and one; a way out and a way in at each site.
HiddenNetwork three_sites() {
    HiddenNetwork network({{8, 7}, {3, 1, 1}, {5}});
    for (std::size_t site = 0; site < 3; ++site) {
        network.add_way_out(site, 9.4e6);
        network.add_way_in(site, 9.4e6);
    }
    return network;
}

TEST(Sharing, finds_the_ways_out_and_in_of_three_sites_in_a_few_rounds) {
    const HiddenNetwork network = three_sites();
    const std::vector<std::size_t> sites[] = {{0, 1}, {2, 3, 4}, {5}};
    const std::vector<std::size_t> others[] = {{2, 3, 4, 5}, {0, 1, 5}, {0, 1, 2, 3, 4}};
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const auto found = find(network, some_noise, 4, seed);
        EXPECT_THAT(found, SizeIs(6));
        for (std::size_t site = 0; site < 3; ++site) {
            const Bottleneck* out = with(found, sites[site], others[site]);
            const Bottleneck* in = with(found, others[site], sites[site]);
            ASSERT_TRUE(out != nullptr && in != nullptr) << site;
            EXPECT_EQ(out->place, Bottleneck::Place::out);
            EXPECT_EQ(in->place, Bottleneck::Place::in);
            EXPECT_NEAR(out->capacity, 9.4e6, 0.04 * 9.4e6);
            EXPECT_NEAR(in->capacity, 9.4e6, 0.04 * 9.4e6);
        }
    }
}

TEST(Sharing, says_nothing_where_only_the_hosts_ports_limit) {
    EXPECT_THAT(find(HiddenNetwork({{4}, {3}, {5}, {2}}), some_noise), IsEmpty());
    EXPECT_THAT(find(HiddenNetwork({{1}, {1}, {1}}), some_noise), IsEmpty());
    EXPECT_THAT(find(HiddenNetwork(std::vector<std::vector<std::size_t>>{{4, 4, 4}}), some_noise),
                IsEmpty());
    EXPECT_THAT(find(HiddenNetwork({{2, 3}, {4, 1}}), some_noise), IsEmpty());
}

TEST(Sharing, says_nothing_of_one_cluster) {
    const HiddenNetwork network(std::vector<std::vector<std::size_t>>{{7}});
    SharingPlan plan(network.surroundings(), network.round_trips, unhurried);
    EXPECT_FALSE(plan.next(0).has_value());
    EXPECT_THAT(plan.bottlenecks(), IsEmpty());
}

TEST(Sharing, between_two_sites_there_is_one_capacity_each_way) {
    HiddenNetwork network({{4}, {2, 2}});
    network.add_way_out(0, 8e6);
    network.add_way_in(0, 16e6);
    const auto found = find(network, some_noise);
    ASSERT_THAT(found, SizeIs(2));
    const Bottleneck* there = with(found, {0}, {1, 2});
    const Bottleneck* back = with(found, {1, 2}, {0});
    ASSERT_TRUE(there != nullptr && back != nullptr);
    EXPECT_NEAR(there->capacity, 8e6, 0.3e6);
    EXPECT_NEAR(back->capacity, 16e6, 0.6e6);
}

TEST(Sharing, finds_the_total_where_one_stream_can_not_fill_the_link) {
    HiddenNetwork network({{4}, {5}, {4}});
    network.add_way_out(1, 12e6);
    for (const std::size_t to : {0U, 2U}) network.stream_limit(1, to) = 5e6;
    const auto found = find(network, some_noise);
    const Bottleneck* out = with(found, {1}, {0, 2});
    ASSERT_NE(out, nullptr);
    EXPECT_NEAR(out->capacity, 12e6, 0.5e6);
}

TEST(Sharing, finds_a_pair_with_a_link_of_its_own) {
    HiddenNetwork network({{4}, {5}, {4}});
    network.add_pair(0, 2, 3e6);
    const auto found = find(network, some_noise);
    ASSERT_THAT(found, SizeIs(1));
    const Bottleneck* pair = with(found, {0}, {2});
    ASSERT_NE(pair, nullptr);
    EXPECT_EQ(pair->place, Bottleneck::Place::between);
    EXPECT_NEAR(pair->capacity, 3e6, 0.12e6);
    EXPECT_THAT(pair->pairs(), ElementsAre(std::pair<std::size_t, std::size_t>(0, 2)));
}

TEST(Sharing, finds_that_directions_share) {
    HiddenNetwork network({{4, 4}, {5}, {4}});
    network.add_half_duplex(0, 10e6);
    const auto found = find(network, some_noise);
    ASSERT_THAT(found, SizeIs(1));
    const Bottleneck* both = with(found, {0, 1}, {2, 3}, true);
    ASSERT_NE(both, nullptr);
    EXPECT_NEAR(both->capacity, 10e6, 0.4e6);
    EXPECT_THAT(both->pairs(), SizeIs(8));
}

TEST(Sharing, finds_sites_that_leave_by_one_way_though_they_are_far_apart) {
    HiddenNetwork network({{3}, {3}, {4}, {5}, {4}});
    network.capacities.push_back(
        {"out", 10e6, [](std::size_t from, std::size_t to) { return from < 2 && to >= 2; }});
    const auto found = find(network, some_noise);
    ASSERT_THAT(found, SizeIs(1));
    const Bottleneck* out = with(found, {0, 1}, {2, 3, 4});
    ASSERT_NE(out, nullptr);
    EXPECT_NEAR(out->capacity, 10e6, 0.4e6);
}

TEST(Sharing, tells_clusters_of_one_site_with_ways_of_their_own_from_a_common_one) {
    HiddenNetwork network({{4, 4}, {5}, {4}});
    for (const std::size_t c : {0U, 1U})
        network.capacities.push_back(
            {"out", 8e6, [c](std::size_t from, std::size_t to) { return from == c && to >= 2; }});
    const auto found = find(network, some_noise);
    EXPECT_THAT(found, SizeIs(2));
    for (const std::size_t c : {0U, 1U}) {
        const Bottleneck* own = with(found, {c}, {2, 3});
        ASSERT_NE(own, nullptr);
        EXPECT_NEAR(own->capacity, 8e6, 0.3e6);
    }
}

TEST(Sharing, finds_what_clusters_of_one_site_share_among_themselves) {
    HiddenNetwork network({{4, 4, 4}, {5}});
    network.capacities.push_back({"switch", 60e6, [](std::size_t from, std::size_t to) {
                                      return from == 1 && (to == 0 || to == 2);
                                  }});
    const auto found = find(network, some_noise);
    ASSERT_THAT(found, SizeIs(1));
    const Bottleneck* out = with(found, {1}, {0, 2});
    ASSERT_NE(out, nullptr);
    EXPECT_NEAR(out->capacity, 60e6, 2.4e6);
}

TEST(Sharing, says_what_it_had_no_time_for_and_claims_nothing_then) {
    const HiddenNetwork network = three_sites();
    Random random(1);
    SharingPlan plan(network.surroundings(), network.round_trips, 0.6);
    measure_hidden(network, plan, random, no_noise);
    EXPECT_THAT(plan.bottlenecks(), IsEmpty());
    EXPECT_THAT(plan.warnings(), SizeIs(1));
}

TEST(Sharing, rounds_do_not_grow_with_the_number_of_sites_when_time_is_short) {
    for (const std::size_t sites : {9U, 15U}) {
        HiddenNetwork network(std::vector<std::vector<std::size_t>>(sites, {3}));
        for (std::size_t site = 0; site < sites; ++site) network.add_way_out(site, 10e6);
        Random random(1);
        SharingPlan plan(network.surroundings(), network.round_trips, 7);
        measure_hidden(network, plan, random, some_noise);
        std::size_t right = 0;
        for (const Bottleneck& found : plan.bottlenecks())
            right += found.from.size() == 1 && found.to.size() == sites - 1 &&
                     std::abs(found.capacity / 10e6 - 1) < 0.04;
        EXPECT_EQ(plan.bottlenecks().size(), right);
        EXPECT_GE(right, sites - 2);
    }
}

/// Sites, and what limits them, at random.
HiddenNetwork random_network(Random& random) {
    std::vector<std::vector<std::size_t>> sizes(2 + random.below(4));
    for (auto& site : sizes)
        for (std::size_t left = 1 + random.below(3); left > 0; --left)
            site.push_back(1 + random.below(6));
    HiddenNetwork network(sizes);
    const auto limit = [&] { return random.uniform(5e6, 20e6); };
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        if (random.uniform() < 0.15) {
            network.add_half_duplex(s, limit());
        } else {
            if (random.uniform() < 0.7) network.add_way_out(s, limit());
            if (random.uniform() < 0.7) network.add_way_in(s, limit());
        }
        for (std::size_t t = 0; t < sizes.size(); ++t) {
            if (s == t) continue;
            if (random.uniform() < 0.12) network.add_pair(s, t, random.uniform(2e6, 5e6));
            if (random.uniform() > 0.15) continue;
            const double stream = random.uniform(3e6, 8e6);
            for (const std::size_t i : network.sites[s])
                for (const std::size_t j : network.sites[t]) network.stream_limit(i, j) = stream;
        }
    }
    return network;
}

/// What is found, as a network of its own; a cluster of one host has its port.
HiddenNetwork as_found(const HiddenNetwork& truth, const std::vector<Bottleneck>& found) {
    HiddenNetwork network = truth.without_limits();
    const Surroundings known = truth.surroundings();
    const std::size_t clusters = known.clusters();
    for (std::size_t i = 0; i < clusters; ++i) {
        double out = 0;
        double in = 0;
        for (std::size_t j = 0; j < clusters; ++j) {
            if (i == j) continue;
            network.stream_limit(i, j) = known.alone(i, j);
            out = std::max(out, known.alone(i, j));
            in = std::max(in, known.alone(j, i));
        }
        if (known.hosts[i].size() > 1) continue;
        network.capacities.push_back({"", out, [i](std::size_t a, std::size_t) { return a == i; }});
        network.capacities.push_back({"", in, [i](std::size_t, std::size_t b) { return b == i; }});
    }
    for (const Bottleneck& bottleneck : found)
        network.capacities.push_back(
            {"", bottleneck.capacity,
             [bottleneck](std::size_t a, std::size_t b) { return bottleneck.covers(a, b); }});
    return network;
}

/// Streams between sites that no round was made of.
std::vector<HiddenNetwork::Flow> random_traffic(const HiddenNetwork& network, Random& random) {
    const std::size_t wanted = 1 + random.below(12);
    const std::size_t mode = random.below(3);  // anywhere, out of one site, into one
    const std::size_t site = random.below(network.sites.size());
    const std::size_t hosts = network.cluster_of.size();
    std::vector<HiddenNetwork::Flow> flows;
    for (int tries = 0; tries < 300 && flows.size() < wanted; ++tries) {
        const std::size_t from = random.below(hosts);
        const std::size_t to = random.below(hosts);
        const std::size_t a = network.site_of[network.cluster_of[from]];
        const std::size_t b = network.site_of[network.cluster_of[to]];
        if (a == b || (mode == 1 && a != site) || (mode == 2 && b != site)) continue;
        flows.push_back({from, to, 1});
    }
    return flows;
}

double sum(const std::vector<double>& rates) {
    double total = 0;
    for (const double rate : rates) total += rate;
    return total;
}

// What was found tells what traffic of any other kind will get, and no capacity is other than what
// all hosts together can move there. Not each of them has to be right: some hidden networks can't
// be told apart by rounds that time allows for.
TEST(Sharing, tells_what_other_traffic_will_get_on_random_networks) {
    std::size_t capacities = 0;
    std::size_t wrong_capacities = 0;
    std::size_t patterns = 0;
    std::size_t wrong_patterns = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Random random(seed);
        const HiddenNetwork truth = random_network(random);
        SharingPlan plan(blurred(truth, random), truth.round_trips, unhurried);
        measure_hidden(truth, plan, random, some_noise);
        const std::vector<Bottleneck> found = plan.bottlenecks();
        for (const Bottleneck& bottleneck : found) {
            ++capacities;
            wrong_capacities += std::abs(bottleneck.capacity / truth.most(bottleneck) - 1) > 0.07;
        }
        const HiddenNetwork believed = as_found(truth, found);
        for (int k = 0; k < 10; ++k) {
            const auto flows = random_traffic(truth, random);
            const double ratio = sum(believed.rates(flows)) / sum(truth.rates(flows));
            ++patterns;
            wrong_patterns += ratio < 0.85 || ratio > 1 / 0.85;
        }
    }
    EXPECT_GT(capacities, 250U);
    EXPECT_LE(wrong_capacities, capacities / 50);
    EXPECT_LE(wrong_patterns, patterns / 50);
}

}  // namespace
}  // namespace espalier::measure
