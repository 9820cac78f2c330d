#include "carried_out.hpp"
#include "core/infinity.hpp"
#include "measure/method/probe.hpp"
#include "measure/method/sharing_plan.hpp"
#include "measure/random_sites.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace espalier::measure {
namespace {

using test::carry_out;
using test::eager;
using test::HiddenNetwork;
using test::regions;
using test::unknown_paces;

constexpr double uplink = 9.4e6;

/// Three sites of two clusters, one way out and one in for each.
HiddenNetwork three_sites() {
    HiddenNetwork network({{3, 2}, {4}, {5}});
    for (std::size_t site = 0; site < 3; ++site) {
        network.add_path_out(site, uplink);
        network.add_path_in(site, uplink);
    }
    return network;
}

SharingPlan plan_for(const HiddenNetwork& network, bool noisy) {
    return {network.surroundings(), network.round_trips, 10, {noisy, eager}};
}

void expect_paces(const SharingPlan& plan, const HiddenNetwork& network, double pace) {
    for (std::size_t i = 0; i < network.hosts.size(); ++i)
        for (std::size_t j = 0; j < network.hosts.size(); ++j) {
            if (network.site_of[i] == network.site_of[j]) continue;
            EXPECT_NEAR(plan.paces()(i, j), pace, 0.01 * pace) << i << " to " << j;
        }
}

TEST(StreamsOnNoisyClock, count_once_they_have_begun) {
    const HiddenNetwork network = three_sites();
    SharingPlan plan = plan_for(network, true);
    carry_out(network, plan, 0.3);
    expect_paces(plan, network, uplink);
    EXPECT_EQ(plan.bottlenecks().size(), 6);
}

TEST(StreamsOnNoisyClock, find_what_a_pair_of_sites_has_by_itself) {
    HiddenNetwork network = three_sites();
    network.add_pair(1, 2, 5e6);
    SharingPlan plan = plan_for(network, true);
    carry_out(network, plan);
    EXPECT_NEAR(plan.paces()(2, 3), 5e6, 5e4);
    EXPECT_NEAR(plan.paces()(3, 2), uplink, 1e4);
    EXPECT_EQ(plan.bottlenecks().size(), 7);
}

TEST(StreamsOnNoisyClock, send_no_messages_over_long_paths_that_wait_for_answers) {
    const HiddenNetwork network = three_sites();
    bool near = false;
    for (const bool noisy : {true, false}) {
        SharingPlan plan = plan_for(network, noisy);
        for (const StreamRound& round : carry_out(network, plan))
            for (const Stream& stream : round.streams) {
                const double round_trip =
                    network.round_trips(stream.ends.from_cluster, stream.ends.to_cluster);
                if (round_trip > long_round_trip_s) {
                    EXPECT_LE(stream.bytes, eager);
                } else {
                    near = near || stream.bytes > eager;
                }
            }
    }
    EXPECT_TRUE(near);
}

TEST(StreamsOnNoisyClock, find_a_building_behind_a_narrower_path) {
    HiddenNetwork network({{4, 3, 4}, {3}});
    constexpr std::size_t building = 2;
    const auto add = [&](double limit, const auto& covers) {
        network.capacities.push_back({"building", limit, covers});
    };
    add(9e6, [](std::size_t from, std::size_t to) { return from == building && to != building; });
    add(6e6, [](std::size_t from, std::size_t to) { return from != building && to == building; });
    network.add_path_out(0, 5e6);
    SharingPlan plan{unknown_paces(network), network.round_trips, 10, {true, eager}};
    carry_out(network, plan);
    const auto carried = [&](const Bottleneck& path) {
        double least = infinity;
        for (const Bottleneck& found : plan.bottlenecks())
            if (found.covers(path)) least = std::min(least, found.capacity);
        return least;
    };
    EXPECT_NEAR(carried({.from = {building}, .to = {0, 1}}), 9e6, 1e5);
    EXPECT_NEAR(carried({.from = {0, 1}, .to = {building}}), 6e6, 1e5);
    EXPECT_NEAR(carried({.from = {0, 1, building}, .to = {3}}), 5e6, 1e5);
}

TEST(StreamsOnNoisyClock, presume_that_paths_never_tried_are_like_the_others) {
    const HiddenNetwork network = regions();
    SharingPlan all{unknown_paces(network), network.round_trips, 20, {true, eager}};
    const StreamRound first = carry_out(network, all).front();
    const double trains = 0.8;
    const double one_round = trains + 1.3 * (duration(first) + time_to_order(first));
    SharingPlan plan{unknown_paces(network), network.round_trips, one_round, {true, eager}};
    const std::vector<StreamRound> played = carry_out(network, plan);
    ASSERT_EQ(played.size(), 1U);
    std::set<std::size_t> senders;
    for (const Stream& stream : played.front().streams) senders.insert(stream.ends.from_cluster);
    const Matrix<double> paces = plan.sure_paces();
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j)
            if (i != j && !senders.contains(i)) {
                EXPECT_LT(paces(i, j), network.port / 3) << i << " to " << j;
                EXPECT_GT(paces(i, j), 0) << i << " to " << j;
            }
}

/// How many of the 20 pairs of regions are known to within a quarter.
std::size_t pairs_known(const SharingPlan& plan, const HiddenNetwork& network) {
    const Matrix<double> paces = plan.paces();
    std::size_t right = 0;
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j) {
            if (i == j) continue;
            const double truth = network.most({.from = {i}, .to = {j}});
            right += paces(i, j) > 0.8 * truth && paces(i, j) < 1.25 * truth ? 1U : 0U;
        }
    return right;
}

TEST(StreamsOnNoisyClock, floods_tell_what_far_sites_can_carry_within_a_few_rounds) {
    const HiddenNetwork network = regions();
    const Surroundings known = unknown_paces(network);
    SharingPlan soon{known, network.round_trips, 9, {true, eager}};
    EXPECT_LE(carry_out(network, soon).size(), 7U);
    EXPECT_GE(pairs_known(soon, network), 19U);

    SharingPlan plan{known, network.round_trips, 20, {true, eager}};
    carry_out(network, plan);
    EXPECT_EQ(pairs_known(plan, network), 20U);
    for (const SharingPlan* each : {&soon, &plan}) {
        const std::vector<Bottleneck> found = each->bottlenecks();
        const std::size_t wanted = each == &soon ? 8 : 10;
        EXPECT_GE(found.size(), wanted);
        EXPECT_LE(found.size(), 10U);
        std::size_t exact = 0;
        for (const Bottleneck& bottleneck : found) {
            EXPECT_LE(bottleneck.capacity, 1.01 * network.most(bottleneck));
            exact += bottleneck.capacity > 0.95 * network.most(bottleneck) ? 1U : 0U;
        }
        EXPECT_GE(exact, wanted);
    }
}

TEST(StreamsOnNoisyClock, tell_a_middle_that_all_sites_share_from_paths_of_their_own) {
    HiddenNetwork network({{4}, {4}, {3}, {4}, {3}, {3}});
    network.capacities.push_back(
        {"middle", 18e6, [](std::size_t from, std::size_t to) { return from != to; }});
    for (std::size_t site = 0; site < 6; ++site) {
        network.add_path_out(site, site < 3 ? 12e6 : 7e6);
        network.add_path_in(site, site < 3 ? 12e6 : 7e6);
    }
    SharingPlan plan = plan_for(network, true);
    carry_out(network, plan);
    const std::vector<Bottleneck> found = plan.bottlenecks();
    EXPECT_EQ(found.size(), 13U);
    for (const Bottleneck& bottleneck : found)
        EXPECT_NEAR(bottleneck.capacity, network.most(bottleneck), 0.02 * bottleneck.capacity);
    EXPECT_EQ(std::ranges::count(found, Bottleneck::Place::middle, &Bottleneck::place), 1);
}

TEST(StreamsOnNoisyClock, do_not_ask_what_halves_told) {
    const HiddenNetwork network = regions();
    SharingPlan plan{unknown_paces(network), network.round_trips, 20, {true, eager}};
    std::set<std::set<ClusterPair>> floods;
    for (const StreamRound& round : carry_out(network, plan)) {
        std::set<ClusterPair> pairs;
        for (const Stream& stream : round.streams)
            pairs.emplace(stream.ends.from_cluster, stream.ends.to_cluster);
        EXPECT_TRUE(floods.insert(std::move(pairs)).second);
    }
}

/// A site of one host, of whose card nobody knows before it sends to others.
TEST(StreamsOnNoisyClock, ask_nothing_more_of_a_card_that_halves_fill) {
    HiddenNetwork network({{4}, {4}, {4}, {1}});
    for (std::size_t site = 0; site < 4; ++site) {
        network.add_path_out(site, site < 3 ? 20e6 : 5e6);
        network.add_path_in(site, site < 3 ? 20e6 : 5e6);
    }
    Surroundings known = unknown_paces(network);
    known.alone(3, 3) = 0;
    SharingPlan plan{known, network.round_trips, 4, {true, eager}};
    const auto is_of_card = [](const Stream& stream) {
        return stream.ends.from_cluster == 3 || stream.ends.to_cluster == 3;
    };
    for (const StreamRound& round : carry_out(network, plan)) {
        std::set<std::size_t> ends;
        for (const Stream& stream : round.streams)
            ends.insert({stream.ends.from_cluster, stream.ends.to_cluster});
        EXPECT_FALSE(ends.size() > 2 && std::ranges::all_of(round.streams, is_of_card));
    }
    EXPECT_NEAR(plan.sure_paces()(0, 3), 5e6, 1e5);
    EXPECT_NEAR(plan.sure_paces()(3, 0), 5e6, 1e5);
}

/// Sites in a line, and trunks of these capacities between neighbours, alike both ways.
HiddenNetwork line_of_sites(const std::vector<double>& trunks) {
    HiddenNetwork network(std::vector<std::vector<std::size_t>>(trunks.size() + 1, {4}));
    for (std::size_t k = 0; k < trunks.size(); ++k) {
        network.capacities.push_back(
            {"", trunks[k], [k](std::size_t from, std::size_t to) { return from <= k && to > k; }});
        network.capacities.push_back(
            {"", trunks[k], [k](std::size_t from, std::size_t to) { return to <= k && from > k; }});
    }
    for (std::size_t i = 0; i < network.hosts.size(); ++i)
        for (std::size_t j = 0; j < network.hosts.size(); ++j)
            if (i != j)
                network.round_trips(i, j) =
                    5e-3 * std::abs(static_cast<double>(i) - static_cast<double>(j));
    return network;
}

TEST(StreamsOnNoisyClock, find_the_trunks_of_a_line_of_sites) {
    const HiddenNetwork network = line_of_sites({12e6, 7e6, 5e6, 9e6});
    SharingPlan plan = plan_for(network, true);
    carry_out(network, plan);
    const std::vector<Bottleneck> found = plan.bottlenecks();
    EXPECT_EQ(found.size(), 8U);
    for (const Bottleneck& bottleneck : found) {
        // One side is all that lies on one side of a trunk.
        const auto& side = bottleneck.from.front() == 0 ? bottleneck.from : bottleneck.to;
        EXPECT_EQ(side.back(), side.size() - 1);
        EXPECT_NEAR(bottleneck.capacity, network.most(bottleneck), 0.02 * bottleneck.capacity);
    }
}

/// Far from what hosts can send, something holds flows back, though it was full in one round alone.
TEST(StreamsOnNoisyClock, are_held_back_by_something) {
    const HiddenNetwork network = three_sites();
    Surroundings known = network.surroundings();
    for (std::size_t i = 0; i < known.clusters(); ++i)
        for (std::size_t j = 0; j < known.clusters(); ++j)
            if (i != j) known.alone(i, j) = 0;
    known.presumed = Matrix<double>(known.clusters(), known.clusters(), network.port);
    const RoundRates round{{0, 5, 0, 2, 2e6}, {1, 9, 0, 3, 2e6}, {2, 6, 0, 2, 2e6}};
    const std::vector<Bottleneck> found = explain(known, {round}).bottlenecks;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().from, network.sites.front());
    EXPECT_EQ(found.front().capacity, 6e6);
    // As much as the hosts' ports can carry needs no other reason.
    RoundRates fast = round;
    for (StreamRate& stream : fast) stream.rate = network.port;
    EXPECT_TRUE(explain(known, {fast}).bottlenecks.empty());
}

/// One direction fills what both share as well as both do, and does not show that they share it.
TEST(StreamsOnNoisyClock, share_both_directions_as_often_as_both_were_needed_to_fill_them) {
    const HiddenNetwork network({{4}, {4}, {4}, {4}});
    Surroundings known = unknown_paces(network);
    known.presumed = Matrix<double>(known.clusters(), known.clusters(), network.port);
    const RoundRates out{{0, 4, 0, 1, 5e6}, {1, 8, 0, 2, 5e6}};
    const RoundRates in{{4, 0, 1, 0, 5e6}, {8, 1, 2, 0, 5e6}};
    // As fast as cards are, and so past all that the others share.
    const StreamRate past{12, 6, 3, 1, network.port};
    const RoundRates both{{0, 4, 0, 1, 5e6}, {8, 1, 2, 0, 5e6}, past};
    const RoundRates others{{4, 0, 1, 0, 5e6}, {1, 8, 0, 2, 5e6}, past};
    const std::vector<Bottleneck> found = explain(known, {out, in, both, others}).bottlenecks;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found.front().both);
    EXPECT_EQ(found.front().rounds, 2U);
}

// Two neighbours that send no faster than their machine copies tell nothing of far paths.
TEST(StreamsOnNoisyClock, do_not_take_what_one_pair_shows_for_a_path) {
    const HiddenNetwork network({{2, 2}, {4}, {4}});
    Surroundings known = unknown_paces(network);
    known.presumed = Matrix<double>(known.clusters(), known.clusters(), 500e6);
    for (std::size_t c = 0; c < known.clusters(); ++c) known.alone(c, c) = 500e6;
    const RoundRates near{{0, 2, 0, 1, 118e6}, {1, 3, 0, 1, 118e6}};
    const RoundRates far{{0, 4, 0, 2, 1e6}, {1, 8, 0, 3, 1e6}};
    for (const Bottleneck& found : explain(known, {near, near, near, far, far}).bottlenecks)
        EXPECT_FALSE(found.covers(0, 1) && found.covers(0, 2)) << found.capacity;
}

// Sites at random, what they share, and how much of it is found in the time that a usual budget
// leaves. Not all can be found in so few rounds.
TEST(StreamsOnNoisyClock, tell_what_random_sites_share) {
    test::SitesScore score;
    test::SitesScore circuits;
    for (const test::SiteKind kind : test::site_kinds)
        for (std::uint64_t seed = 0; seed < 10; ++seed)
            (kind == test::SiteKind::circuits ? circuits : score)
                .add(test::score_sites(kind, seed, test::good_budget));
    // Each pair of sites would have to be asked by itself.
    EXPECT_GE(circuits.found, circuits.capacities / 3);
    EXPECT_GT(score.capacities, 200U);
    EXPECT_GE(score.found, score.capacities * 17 / 20);
    EXPECT_LE(score.invented, score.stated / 15);
    EXPECT_GE(score.right, score.pairs * 9 / 10);
    EXPECT_EQ(score.late, 0U);
}

std::size_t floods_of(const std::vector<PlayedRound>& played) {
    return played.size() - static_cast<std::size_t>(std::ranges::count(
                               played, StreamKind::train,
                               [](const PlayedRound& round) { return round.planned.kind; }));
}

TEST(StreamsOnNoisyClock, go_on_where_an_earlier_plan_stopped) {
    const HiddenNetwork network = regions();
    const Surroundings known = unknown_paces(network);
    const auto pairs_of = [](const StreamRound& round) {
        std::set<ClusterPair> pairs;
        for (const Stream& stream : round.streams)
            pairs.insert({stream.ends.from_cluster, stream.ends.to_cluster});
        return pairs;
    };
    std::vector<PlayedRound> played;
    std::vector<std::size_t> known_pairs;
    std::set<ClusterPair> first;
    for (int start = 0; start < 8; ++start) {
        SharingPlan plan{known, network.round_trips, 2.5, {true, eager}};
        plan.recall(played);
        const auto rounds = carry_out(network, plan);
        ASSERT_FALSE(rounds.empty());
        if (start > 0) {
            EXPECT_NE(pairs_of(rounds.front()), first) << start;
        }
        if (start == 0) first = pairs_of(rounds.front());
        EXPECT_EQ(floods_of(plan.played()), floods_of(played) + rounds.size());
        played = plan.played();
        known_pairs.push_back(pairs_known(plan, network));
    }
    EXPECT_LT(known_pairs.front(), 10U);
    EXPECT_EQ(known_pairs.back(), 20U);

    SharingPlan anew{known, network.round_trips, 100, {true, eager}};
    SharingPlan on{known, network.round_trips, 100, {true, eager}};
    on.recall(played);
    EXPECT_LT(carry_out(network, on).size() + 6, carry_out(network, anew).size());
    EXPECT_TRUE(on.complete());
    EXPECT_TRUE(anew.complete());
}

TEST(StreamsOnNoisyClock, tell_that_nothing_is_shared_without_time_for_all_rounds) {
    const HiddenNetwork network({{8, 8, 6}});
    bool is_early = false;
    for (const double until : {0.01, 0.5, 1.0, 10.0}) {
        SharingPlan plan{unknown_paces(network), network.round_trips, until, {true, eager}};
        const bool has_tried = !carry_out(network, plan).empty();
        EXPECT_EQ(plan.knows_all_shared(), has_tried) << until;
        is_early = is_early || (has_tried && !plan.complete());
    }
    EXPECT_TRUE(is_early);
}

}  // namespace
}  // namespace espalier::measure
