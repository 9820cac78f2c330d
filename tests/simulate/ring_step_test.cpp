#include "simulate/ring_step.hpp"

#include "core/random.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier::simulate {
namespace {

using schedule::RingSharing;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;

/// Hosts around one bus that every message crosses.
RingTraffic around_a_bus(std::size_t hosts, double exchange, double delay = 0) {
    RingTraffic traffic;
    traffic.exchange = exchange;
    traffic.to_successor.assign(hosts, {delay, {0}, 0, 1});
    traffic.to_predecessor = traffic.to_successor;
    return traffic;
}

/// Each host has a link of its own for each direction: nobody disturbs anybody.
RingTraffic apart(std::size_t hosts, double exchange) {
    RingTraffic traffic;
    traffic.exchange = exchange;
    for (std::uint32_t i = 0; i < hosts; ++i) {
        traffic.to_successor.push_back({0, {2 * i}, 0, 1});
        traffic.to_predecessor.push_back({0, {2 * i + 1}, 0, 1});
    }
    return traffic;
}

TEST(RingStep, of_a_host_alone_is_its_computing) {
    RingSimulator simulator({});
    const auto steps =
        simulator.run({5, {}, {}}, std::vector{2.5}, RingSharing::fair, RingHorizon::steady(1));
    EXPECT_DOUBLE_EQ(steps.step_time, 2.5);
    EXPECT_THAT(steps.communication, ElementsAre(0.0));
}

TEST(RingStep, divides_a_bus_among_all_messages_that_are_on_the_way) {
    // 6 messages of 10 at 30 in all: 2 s, after 1 s of computing and 0.5 s of delay.
    RingSimulator simulator({{30, true}});
    const std::vector<double> computing(3, 1.0);
    const auto steps = simulator.run(around_a_bus(3, 10, 0.5), computing, RingSharing::fair,
                                     RingHorizon::steady(3));
    EXPECT_THAT(steps.step_time, DoubleNear(3.5, 1e-9));
    EXPECT_THAT(steps.communication, Each(DoubleNear(2.5, 1e-9)));
    EXPECT_THAT(steps.sending, Each(DoubleNear(2.5, 1e-9)));
    EXPECT_THAT(steps.to_successor, Each(DoubleNear(5, 1e-9)));
}

TEST(RingStep, leaves_a_backbone_to_each_message_in_full) {
    RingSimulator simulator({{30, false}});
    const std::vector<double> computing(3, 1.0);
    const auto steps =
        simulator.run(around_a_bus(3, 10), computing, RingSharing::fair, RingHorizon::steady(3));
    EXPECT_THAT(steps.step_time, DoubleNear(1 + 10.0 / 30, 1e-9));
    EXPECT_THAT(steps.to_predecessor, Each(DoubleNear(30, 1e-9)));
}

TEST(RingStep, gives_what_one_message_leaves_to_the_others) {
    // Two hosts: their four messages share a link of 8; one of them is held to 1 by another link.
    RingSimulator simulator({{8, true}, {1, true}});
    RingTraffic traffic = around_a_bus(2, 7);
    traffic.to_successor[0].links = {0, 1};
    const auto steps =
        simulator.run(traffic, std::vector{1.0, 1.0}, RingSharing::fair, RingHorizon::one_step());
    // Three flow at 7/3 for 3 s; the fourth takes 7 s.
    EXPECT_THAT(steps.to_successor[0], DoubleNear(1, 1e-9));
    EXPECT_THAT(steps.to_successor[1], DoubleNear(7.0 / 3, 1e-9));
    EXPECT_THAT(steps.step_time, DoubleNear(8, 1e-9));
    EXPECT_THAT(steps.sending, ElementsAre(DoubleNear(7, 1e-9), DoubleNear(3, 1e-9)));
}

TEST(RingStep, divides_a_link_by_weights) {
    RingSimulator simulator({{8, true}});
    RingTraffic traffic = around_a_bus(2, 6);
    traffic.to_successor[0].weight = 5;
    const auto steps =
        simulator.run(traffic, std::vector{1.0, 1.0}, RingSharing::fair, RingHorizon::one_step());
    EXPECT_THAT(steps.to_successor[0], DoubleNear(5, 1e-9));
    EXPECT_THAT(steps.step_time, DoubleNear(1 + 24.0 / 8, 1e-9));  // the link is never idle
}

TEST(RingStep, of_uneven_hosts_settles_at_the_busiest_ones_pace) {
    // Host 1 computes 5 and sends 2: nobody else comes near.
    RingSimulator simulator(std::vector<FairLinks::Link>(8, {3, true}));
    const std::vector<double> computing{1, 5, 2, 3};
    const auto steps =
        simulator.run(apart(4, 6), computing, RingSharing::fair, RingHorizon::steady(4));
    EXPECT_THAT(steps.step_time, DoubleNear(7, 1e-9));
    EXPECT_THAT(steps.sending, Each(DoubleNear(2, 1e-9)));
    // The others wait for it in the end.
    for (std::size_t host = 0; host < 4; ++host)
        EXPECT_THAT(steps.communication[host], DoubleNear(7 - computing[host], 1e-9));
}

TEST(RingStep, with_reserved_bandwidths_is_what_the_busiest_host_computes_and_sends_in_turn) {
    Random random(5);
    for (int trial = 0; trial < 20; ++trial) {
        const std::size_t hosts = 2 + random.below(9);
        RingTraffic traffic = around_a_bus(hosts, 4);
        std::vector<double> computing;
        double busiest = 0;
        for (std::size_t host = 0; host < hosts; ++host) {
            computing.push_back(random.uniform(0, 5));
            double busy = computing.back();
            for (auto* messages : {&traffic.to_successor, &traffic.to_predecessor}) {
                auto& message = (*messages)[host];
                message.reserved = random.uniform(1, 9);
                message.delay = random.uniform();
                busy += message.delay + traffic.exchange / message.reserved;
            }
            busiest = std::max(busiest, busy);
        }
        RingSimulator simulator({{1, true}});
        const auto steps =
            simulator.run(traffic, computing, RingSharing::reserved, {50 * hosts, 1});
        EXPECT_NEAR(steps.step_time, busiest, 1e-9 * busiest);
    }
}

/// Max-min fairness, found otherwise: rates are raised together in small steps.
std::vector<double> raised_rates(const std::vector<FairLinks::Link>& links,
                                 const std::vector<LinkMessage>& messages, double step) {
    std::vector<double> rates(messages.size(), 0);
    std::vector<char> stuck(messages.size(), 0);
    const auto fits = [&] {
        for (std::uint32_t l = 0; l < links.size(); ++l) {
            double sum = 0;
            for (std::size_t m = 0; m < messages.size(); ++m) {
                const auto crossings =
                    std::count(messages[m].links.begin(), messages[m].links.end(), l);
                if (crossings == 0) continue;
                if (!links[l].shared && rates[m] > links[l].bandwidth) return false;
                sum += rates[m] * static_cast<double>(crossings);
            }
            if (links[l].shared && sum > links[l].bandwidth) return false;
        }
        return true;
    };
    while (std::count(stuck.begin(), stuck.end(), 0) > 0)
        for (std::size_t m = 0; m < messages.size(); ++m) {
            if (stuck[m] != 0) continue;
            rates[m] += step * messages[m].weight;
            if (fits()) continue;
            rates[m] -= step * messages[m].weight;
            stuck[m] = 1;
        }
    return rates;
}

TEST(FairLinks, let_the_first_message_arrive_when_max_min_fairness_says) {
    Random random(7);
    for (int trial = 0; trial < 30; ++trial) {
        std::vector<FairLinks::Link> links;
        for (int l = 0; l < 5; ++l)
            links.push_back({random.uniform(1, 10), random.uniform() < 0.8});
        std::vector<LinkMessage> messages;
        for (int m = 0; m < 6; ++m) {
            LinkMessage message;
            for (std::uint32_t l = 0; l < links.size(); ++l)
                if (random.uniform() < 0.5) message.links.push_back(l);
            if (message.links.empty()) message.links.push_back(0);
            message.amount = random.uniform(1, 10);
            message.weight = 1 + static_cast<double>(random.below(3));
            messages.push_back(message);
        }
        const auto rates = raised_rates(links, messages, 1e-3);
        double first = 1e9;
        for (std::size_t m = 0; m < messages.size(); ++m)
            first = std::min(first, messages[m].amount / rates[m]);

        FairLinks shares(links);
        shares.reset(messages.size());
        for (std::size_t m = 0; m < messages.size(); ++m)
            shares.begin(m, messages[m].links, messages[m].amount, 0, messages[m].weight);
        shares.share(0);
        EXPECT_NEAR(shares.next_end(), first, 0.02 * first);
    }
}

TEST(FairLinks, carry_messages_sent_at_once_as_fast_as_their_bottleneck_allows) {
    // 12 of 4 in all on the first link; the last one waits for its delay.
    const std::vector<FairLinks::Link> links{{4, true}, {100, true}};
    const std::vector<LinkMessage> messages{{0, {0, 1}, 6, 1}, {0, {0}, 6, 1}, {3, {1}, 50, 1}};
    EXPECT_DOUBLE_EQ(time_of_messages(links, messages), 3.5);
    EXPECT_DOUBLE_EQ(time_of_messages(links, {}), 0);
}

TEST(RingStep, of_a_plan_takes_delays_and_bandwidths_from_the_network) {
    network::LinksNetwork network;
    network.nodes = {{"a", 2.0, 0.25}, {"b", 1.0, 0}};
    network.links = {{"l", network::LinksNetwork::Ends{0, 1}, BytesPerSecond(8), Seconds(0.5),
                      network::LinksNetwork::Kind::bidirectional}};
    schedule::Ring ring;
    ring.work = 3;
    ring.exchange = 4;
    ring.sharing = RingSharing::fair;
    ring.order = {0, 1};
    ring.shares = {1.0 / 3, 2.0 / 3};
    ring.paths = {{0, 1, {0}, 0}, {0, 1, {0}, 0}, {1, 0, {0}, 0}, {1, 0, {0}, 0}};
    // Computing 2 each, delay 0.75, four messages of 4 over 8.
    EXPECT_THAT(simulate_ring(network, ring).step_time, DoubleNear(4.75, 1e-9));
    ring.sharing = RingSharing::reserved;
    for (auto& path : ring.paths) path.bandwidth = 2;
    EXPECT_THAT(simulate_ring(network, ring).step_time, DoubleNear(2 + 2 * 2.75, 1e-9));
}

}  // namespace
}  // namespace espalier::simulate
