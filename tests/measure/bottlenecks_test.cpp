#include "measure/method/bottlenecks.hpp"

#include "core/infinity.hpp"
#include "core/random.hpp"
#include "hidden_network.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace espalier::measure {
namespace {

using test::HiddenNetwork;
using testing::SizeIs;

/// What is known of a network's hosts before floods.
Surroundings before_floods(const HiddenNetwork& network) {
    Surroundings known = network.surroundings();
    for (std::size_t i = 0; i < known.clusters(); ++i)
        for (std::size_t j = 0; j < known.clusters(); ++j)
            if (i != j) known.alone(i, j) = 0;
    known.presumed = Matrix<double>(known.clusters(), known.clusters(), network.port);
    return known;
}

/// What streams get of which one goes from each host of these clusters to one of each of those; in
/// shares that vary from pair to pair by a factor of up to 8 either way if `uneven`.
RoundRates flooded(const HiddenNetwork& network, const std::vector<std::size_t>& from,
                   const std::vector<std::size_t>& to, Random* uneven = nullptr) {
    std::vector<HiddenNetwork::Flow> flows;
    for (const std::size_t i : from)
        for (const std::size_t j : to) {
            const double share = uneven ? std::pow(8, uneven->uniform(-1, 1)) : 1;
            for (std::size_t k = 0; k < network.hosts[i].size(); ++k)
                flows.push_back(
                    {network.hosts[i][k], network.hosts[j][k % network.hosts[j].size()], share});
        }
    const std::vector<double> rates = network.rates(flows);
    RoundRates found;
    for (std::size_t k = 0; k < flows.size(); ++k)
        found.push_back({flows[k].from, flows[k].to, network.cluster_of[flows[k].from],
                         network.cluster_of[flows[k].to], rates[k]});
    return found;
}

/// The path in to the first site carries less than the two others can send. In no round one of
/// these had it for itself but while it sent to the other one, too, which held it back.
TEST(Bottlenecks, have_parts_that_others_held_back_when_they_had_them_for_themselves) {
    HiddenNetwork network({{6}, {6}, {6}});
    network.add_path_in(0, 14e6);
    network.add_path_out(1, 9e6);
    network.add_path_out(2, 9e6);
    const std::vector<RoundRates> rounds{
        flooded(network, {1, 2}, {0}), flooded(network, {1}, {0, 2}), flooded(network, {2}, {0, 1}),
        flooded(network, {1, 2}, {0})};
    const std::vector<Bottleneck> found = explain(before_floods(network), rounds).bottlenecks;
    ASSERT_EQ(found.size(), 3U);
    for (const Bottleneck& bottleneck : found)
        EXPECT_NEAR(bottleneck.capacity, network.most(bottleneck), 1e5);
}

/// TCP shares a path unevenly, and differently in each round: that some get little of it does not
/// show that they have lines of their own.
TEST(Bottlenecks, are_paths_of_sites_rather_than_many_lines_although_shares_are_uneven) {
    Random random(4);
    std::size_t lines = 0;
    for (int network = 0; network < 20; ++network) {
        HiddenNetwork sites({{4}, {4}, {4}, {4}, {4}, {4}});
        for (std::size_t site = 0; site < 6; ++site) {
            sites.add_path_out(site, random.uniform(1e6, 8e6));
            sites.add_path_in(site, random.uniform(1e6, 8e6));
        }
        std::vector<RoundRates> rounds;
        for (std::size_t bit = 1; bit < 6; bit *= 2) {
            std::vector<std::size_t> some;
            std::vector<std::size_t> others;
            for (std::size_t site = 0; site < 6; ++site)
                ((site & bit) != 0 ? some : others).push_back(site);
            rounds.push_back(flooded(sites, some, others, &random));
            rounds.push_back(flooded(sites, others, some, &random));
        }
        for (const Bottleneck& found : explain(before_floods(sites), rounds).bottlenecks)
            if (found.place == Bottleneck::Place::between) ++lines;
    }
    EXPECT_LE(lines, 1U);
}

/// Each pair is seen twice, which is too little to state a line in a network that has but one. The
/// fastest line to a site is as well that site's path in.
TEST(Bottlenecks, are_lines_where_each_two_sites_have_one) {
    const auto line = [](std::size_t from, std::size_t to) {
        return 1e6 * static_cast<double>(1 + (from * 3 + to) % 4);
    };
    for (const bool is_of_lines : {true, false}) {
        HiddenNetwork sites({{4}, {4}, {4}, {4}});
        std::vector<RoundRates> rounds;
        for (std::size_t from = 0; from < 4; ++from)
            for (std::size_t to = 0; to < 4; ++to)
                if (from != to && (is_of_lines || (from == 0 && to == 3)))
                    sites.add_pair(from, to, line(from, to));
        for (std::size_t from = 0; from < 4; ++from) {
            std::vector<std::size_t> others;
            for (std::size_t to = 0; to < 4; ++to) {
                if (from == to) continue;
                others.push_back(to);
                rounds.push_back(flooded(sites, {from}, {to}));
            }
            rounds.push_back(flooded(sites, {from}, others));
        }
        const auto found = explain(before_floods(sites), rounds).bottlenecks;
        const auto lines = std::ranges::count_if(
            found, [](const Bottleneck& one) { return one.pairs().size() == 1; });
        EXPECT_EQ(lines, is_of_lines ? 8 : 0);
        for (std::size_t from = 0; is_of_lines && from < 4; ++from)
            for (std::size_t to = 0; to < 4; ++to) {
                if (from == to) continue;
                double least = infinity;
                for (const Bottleneck& one : found)
                    if (one.covers(from, to)) least = std::min(least, one.capacity);
                EXPECT_NEAR(least, line(from, to), 1e4);
            }
    }
}

/// Two sites with one path each: as well one of both, by what was seen.
TEST(Bottlenecks, are_of_single_sites_rather_than_of_groups) {
    HiddenNetwork network({{4}, {4}, {4}, {4}});
    network.add_path_out(0, 10e6);
    network.add_path_out(1, 5e6);
    Surroundings known = before_floods(network);
    known.groups = {{0, 1}};
    const std::vector<RoundRates> rounds{flooded(network, {0, 1}, {2}),
                                         flooded(network, {0, 1}, {3})};
    const std::vector<Bottleneck> found = explain(known, rounds).bottlenecks;
    ASSERT_EQ(found.size(), 2U);
    for (const Bottleneck& bottleneck : found) {
        EXPECT_THAT(bottleneck.from, SizeIs(1));
        EXPECT_NEAR(bottleneck.capacity, network.most(bottleneck), 1e5);
    }
}

/// Nobody has seen the third site: what the first one can send may be a matter of the second one.
TEST(Bottlenecks, are_on_the_way_out_of_a_site_rather_than_between_two) {
    HiddenNetwork network({{4}, {4}, {4}});
    network.add_path_out(0, 10e6);
    network.add_path_in(1, 40e6);
    const std::vector<RoundRates> rounds{flooded(network, {0}, {1}), flooded(network, {0}, {1})};
    const std::vector<Bottleneck> found = explain(before_floods(network), rounds).bottlenecks;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_THAT(found.front().pairs(), testing::ElementsAre(ClusterPair(0, 1), ClusterPair(0, 2)));
}

}  // namespace
}  // namespace espalier::measure
