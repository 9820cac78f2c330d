#include "hidden_network.hpp"
#include "measure/method/probe.hpp"
#include "measure/method/sharing_plan.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <set>
#include <utility>

namespace espalier::measure {
namespace {

using test::HiddenNetwork;

constexpr double uplink = 9.4e6;
constexpr std::uint64_t eager = 16384;

/// Three sites of two clusters, one way out and one in for each.
HiddenNetwork three_sites() {
    HiddenNetwork network({{3, 2}, {4}, {5}});
    for (std::size_t site = 0; site < 3; ++site) {
        network.add_path_out(site, uplink);
        network.add_path_in(site, uplink);
    }
    return network;
}

using Connection = std::pair<std::size_t, std::size_t>;

/// Carries the plan out; `luck` is the part of its share that a connection gets. Returns all
/// rounds.
std::vector<StreamRound> carry_out(const HiddenNetwork& network, SharingPlan& plan,
                                   const std::function<double(const Connection&)>& luck) {
    std::vector<StreamRound> rounds;
    double elapsed = 0;
    while (const auto round = plan.next(elapsed)) {
        std::vector<HiddenNetwork::Flow> flows;
        for (const Stream& stream : round->streams)
            flows.push_back({stream.ends.from, stream.ends.to, 1});
        std::vector<double> rates = network.rates(flows);
        for (std::size_t k = 0; k < rates.size(); ++k)
            if (round->streams.size() <= 3) rates[k] *= luck({flows[k].from, flows[k].to});
        elapsed += round->warm_up + round->span + 4 * round->settle;
        plan.record(rates, elapsed);
        rounds.push_back(*round);
    }
    return rounds;
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

TEST(StreamsOnNoisyClock, that_began_badly_go_again_between_other_hosts) {
    const HiddenNetwork network = three_sites();
    // Whatever connection comes first to a host has its slow start end early.
    std::set<std::size_t> reached;
    std::set<Connection> bad;
    const auto luck = [&](const Connection& connection) {
        if (reached.insert(connection.second).second && reached.size() <= 3) bad.insert(connection);
        return bad.contains(connection) ? 0.2 : 1.0;
    };
    SharingPlan plan = plan_for(network, true);
    carry_out(network, plan, luck);
    EXPECT_FALSE(bad.empty());
    expect_paces(plan, network, uplink);
    EXPECT_EQ(plan.bottlenecks().size(), 6);
}

TEST(StreamsOnNoisyClock, that_are_slow_each_time_are_slow) {
    HiddenNetwork network = three_sites();
    for (std::size_t i = 0; i < network.hosts.size(); ++i)
        for (std::size_t j = 0; j < network.hosts.size(); ++j)
            if (i != j) network.stream_limit(i, j) = 3e6;
    network.stream_limit(2, 3) = 5e6;
    SharingPlan plan = plan_for(network, true);
    carry_out(network, plan, [](const Connection&) { return 1.0; });
    EXPECT_NEAR(plan.paces()(2, 3), 5e6, 5e4);
    EXPECT_NEAR(plan.paces()(3, 2), 3e6, 3e4);
    EXPECT_NEAR(plan.paces()(0, 3), 3e6, 3e4);
}

TEST(StreamsOnNoisyClock, are_believed_at_once_without_noise) {
    const HiddenNetwork network = three_sites();
    const auto alone = [&](bool noisy) {
        SharingPlan plan = plan_for(network, noisy);
        std::size_t rounds = 0;
        for (const StreamRound& round :
             carry_out(network, plan, [](const Connection& c) { return c.first == 0 ? 0.5 : 1.0; }))
            rounds += round.streams.size() <= 3 ? 1U : 0U;
        return rounds;
    };
    EXPECT_GT(alone(true), alone(false));
}

TEST(StreamsOnNoisyClock, send_no_messages_over_long_paths_that_wait_for_answers) {
    const HiddenNetwork network = three_sites();
    SharingPlan plan = plan_for(network, true);
    bool near = false;
    for (const StreamRound& round : carry_out(network, plan, [](const Connection&) { return 1.0; }))
        for (const Stream& stream : round.streams) {
            const double round_trip =
                network.round_trips(stream.ends.from_cluster, stream.ends.to_cluster);
            if (round_trip > long_round_trip_s) {
                EXPECT_LE(stream.bytes, eager);
            } else {
                near = near || stream.bytes > eager;
            }
        }
    EXPECT_TRUE(near);
}

/// Five regions up to 128 ms apart, and what their hosts share; bytes per second.
HiddenNetwork regions() {
    HiddenNetwork network({{5}, {4}, {4}, {2}, {3}});
    network.port = 40e6;
    const std::vector<double> out{23.5e6, 11.8e6, 9.4e6, 4.7e6, 5.9e6};
    const std::vector<double> in{23.5e6, 17.7e6, 9.4e6, 7.1e6, 11.8e6};
    for (std::size_t site = 0; site < 5; ++site) {
        network.add_path_out(site, out[site]);
        network.add_path_in(site, in[site]);
        for (std::size_t other = 0; other < 5; ++other)
            if (site != other)
                network.round_trips(site, other) =
                    0.09 + 0.03 * static_cast<double>(site + other) / 2;
    }
    return network;
}

TEST(StreamsOnNoisyClock, floods_tell_what_far_sites_can_carry_within_a_few_rounds) {
    const HiddenNetwork network = regions();
    Surroundings known = network.surroundings();
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j)
            if (i != j) known.alone(i, j) = 0;
    SharingPlan plan{known, network.round_trips, 12, {true, eager}};
    EXPECT_LE(carry_out(network, plan, [](const Connection&) { return 1.0; }).size(), 5U);
    const Matrix<double> paces = plan.paces();
    std::size_t right = 0;
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j) {
            if (i == j) continue;
            const double truth = network.most({.from = {i}, .to = {j}});
            right += paces(i, j) > 0.8 * truth && paces(i, j) < 1.25 * truth ? 1U : 0U;
        }
    EXPECT_GE(right, 19U);
    const std::vector<Bottleneck> found = plan.bottlenecks();
    EXPECT_EQ(found.size(), 10U);
    std::size_t exact = 0;
    for (const Bottleneck& bottleneck : found) {
        EXPECT_LE(bottleneck.capacity, 1.01 * network.most(bottleneck));
        exact += bottleneck.capacity > 0.95 * network.most(bottleneck) ? 1U : 0U;
    }
    EXPECT_GE(exact, 9U);
}

}  // namespace
}  // namespace espalier::measure
