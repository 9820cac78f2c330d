#include "simulate/check_ring.hpp"

#include "support/toy_ring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace espalier::simulate {
namespace {

using espalier::test::toy_platform;
using espalier::test::toy_ring;
using ::testing::HasSubstr;
using Kind = network::LinksNetwork::Kind;

/// What is said of the toy ring after a change of it, or of its platform; empty: it is valid.
std::string said_of(const std::function<void(schedule::StatedRing&)>& change,
                    const std::function<void(network::LinksNetwork&)>& platform = {}) {
    auto ring = toy_ring();
    auto network = toy_platform();
    if (change) change(ring);
    if (platform) platform(network);
    return check_ring(ring, network).violation.value_or("");
}

TEST(CheckRing, takes_the_toy_example_of_the_paper) {
    const RingCheck check = check_ring(toy_ring(), toy_platform());
    ASSERT_EQ(check.violation.value_or(""), "");
    EXPECT_NEAR(check.ring.step_time, 6890.0 / 137, 1e-12 * 50);
    EXPECT_EQ(check.ring.order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
    // From P2: to its successor, then to its predecessor.
    ASSERT_EQ(check.ring.paths.size(), 10U);
    EXPECT_EQ(check.ring.paths[2].to, 2U);
    EXPECT_EQ(check.ring.paths[3].to, 0U);
    EXPECT_EQ(check.ring.paths[3].links, (std::vector<std::size_t>{1, 6, 7}));
}

TEST(CheckRing, paths_may_stand_in_any_order) {
    EXPECT_EQ(said_of([](auto& ring) { std::reverse(ring.paths.begin(), ring.paths.end()); }), "");
}

TEST(CheckRing, startups_and_latencies_count_in_the_step) {
    // P1 sends to P2 over a and b, and to P5: 0.5 at both ends, 0.25 on the way over a.
    const auto delay = [](auto& network) {
        network.nodes[0].startup = 0.5;
        network.nodes[4].startup = 0.125;
        network.links[0].latency = Seconds(0.25);
    };
    EXPECT_THAT(said_of({}, delay), HasSubstr("step_time: it says 50.29"));
    const double late = 6890.0 / 137 + 2 * 0.5 + 0.25 + 0.125;
    EXPECT_EQ(said_of([&](auto& ring) { ring.step_time = late; }, delay), "");
}

TEST(CheckRing, finds_what_is_no_ring) {
    EXPECT_EQ(said_of([](auto& ring) { ring.order[1] = "P9"; }),
              "ring[1]: the network has no host 'P9'");
    EXPECT_EQ(said_of([](auto& ring) { ring.order[1] = "P1"; }),
              "ring[1]: 'P1' stands in the ring twice");
    EXPECT_EQ(said_of({}, [](auto& network) { network.nodes[2].cycle_time.reset(); }),
              "ring[2]: 'P3' is a router, it does not compute");
}

TEST(CheckRing, finds_wrong_shares) {
    EXPECT_EQ(said_of([](auto& ring) { ring.shares.emplace_back("Q", 0.0); }),
              "shares.Q: 'Q' is not in the ring");
    EXPECT_EQ(said_of([](auto& ring) { ring.shares.pop_back(); }), "shares: 'P5' has none");
    EXPECT_THAT(said_of([](auto& ring) { ring.shares[0].second -= 1e-6; }),
                HasSubstr("shares: they sum to 0.99999"));
    EXPECT_EQ(said_of([](auto& ring) {
                  ring.shares[0].second += 1;
                  ring.shares[1].second -= 1;
              }).substr(0, 12),
              "shares.P2: -");
    EXPECT_THAT(said_of([](auto& ring) {
                    ring.shares[0].second = std::numeric_limits<double>::quiet_NaN();
                }),
                HasSubstr("shares.P1: nan"));
}

TEST(CheckRing, finds_paths_that_are_missing_or_too_many) {
    EXPECT_EQ(said_of([](auto& ring) { ring.paths.erase(ring.paths.begin() + 3); }),
              "paths: 'P2' has none to its predecessor 'P1'");
    EXPECT_EQ(said_of([](auto& ring) { ring.paths.push_back(ring.paths[0]); }),
              "paths[10]: one more path from 'P1' to 'P2'");
    EXPECT_EQ(said_of([](auto& ring) { ring.paths[0].to = "P3"; }),
              "paths[0]: 'P1' and 'P3' are no neighbours in the ring");
    EXPECT_EQ(said_of([](auto& ring) { ring.paths[0].to = "Q"; }),
              "paths[0]: 'Q' is not in the ring");
}

TEST(CheckRing, finds_paths_that_the_network_does_not_have) {
    EXPECT_EQ(said_of([](auto& ring) {
                  ring.paths[0].links = {"a", "z"};
              }),
              "the path from 'P1' to 'P2': the network has no link 'z'");
    EXPECT_EQ(said_of([](auto& ring) {
                  ring.paths[0].links = {"b", "a"};
              }),
              "the path from 'P1' to 'P2': link 'b' does not leave 'P1'");
    EXPECT_EQ(said_of([](auto& ring) {
                  ring.paths[0].links = {"a", "c"};
              }),
              "the path from 'P1' to 'P2': link 'c' does not leave 'Q'");
    EXPECT_EQ(said_of([](auto& ring) { ring.paths[0].links = {"a"}; }),
              "the path from 'P1' to 'P2': it ends at 'Q'");
    EXPECT_EQ(said_of([](auto& ring) { ring.paths[0].links.clear(); }),
              "the path from 'P1' to 'P2': it ends at 'P1'");
    EXPECT_EQ(said_of([](auto& ring) {
                  ring.paths[0].links = {"a", "b", "b", "b"};
              }),
              "the path from 'P1' to 'P2': link 'b' leads back to 'Q'");
    EXPECT_EQ(said_of({}, [](auto& network) { network.links[2].kind = Kind::directed; }), "");
    // d joins R to P3, and both cross it.
    EXPECT_EQ(said_of({}, [](auto& network) { network.links[3].kind = Kind::directed; }),
              "the path from 'P3' to 'P4': link 'd' leads to 'P3', not from it");
    EXPECT_EQ(said_of({}, [](auto& network) { network.links[1].ends.reset(); }),
              "the path from 'P1' to 'P2': link 'b' has no ends, and no route crosses it");
}

TEST(CheckRing, listed_routes_are_the_only_ones) {
    const auto with_routes = [](auto& network) {
        auto stated = toy_ring();
        for (const auto& path : stated.paths) {
            network::LinksNetwork::Route route{static_cast<std::size_t>(path.from[1] - '1'),
                                               static_cast<std::size_t>(path.to[1] - '1'),
                                               {}};
            for (const auto& link : path.links)
                route.links.push_back(static_cast<std::size_t>(link[0] - 'a'));
            network.routes.push_back(route);
        }
        network.links[1].ends.reset();
    };
    EXPECT_EQ(said_of({}, with_routes), "");
    EXPECT_EQ(said_of(
                  [](auto& ring) {
                      ring.paths[3].links = {"b", "a"};
                  },
                  with_routes),
              "the path from 'P2' to 'P1': the network's route crosses [b, g, h]");
    EXPECT_EQ(said_of({},
                      [&](auto& network) {
                          with_routes(network);
                          network.routes.erase(network.routes.begin() + 4);
                      }),
              "the path from 'P3' to 'P4': the network lists no route");
}

TEST(CheckRing, finds_links_over_their_bandwidth) {
    // Three paths of 4/3 cross h.
    EXPECT_THAT(
        said_of({}, [](auto& network) { network.links[7].bandwidth = BytesPerSecond(3.99); }),
        HasSubstr("link 'h': paths take 4 of its bandwidth of 3.99"));
    EXPECT_EQ(
        said_of({}, [](auto& network) { network.links[7].bandwidth = BytesPerSecond(4 - 1e-10); }),
        "");
    const auto backbone = [](double bandwidth) {
        return [bandwidth](auto& network) {
            network.links[7].bandwidth = BytesPerSecond(bandwidth);
            network.links[7].kind = Kind::backbone;
        };
    };
    EXPECT_EQ(said_of({}, backbone(4.0 / 3)), "");
    EXPECT_THAT(said_of({}, backbone(1.3)),
                HasSubstr("the path from 'P1' to 'P5': its bandwidth is 1.33"));
}

TEST(CheckRing, finds_a_step_that_takes_another_time) {
    EXPECT_THAT(said_of([](auto& ring) { ring.step_time -= 1e-6; }),
                HasSubstr("step_time: it says"));
    EXPECT_THAT(said_of([](auto& ring) { ring.step_time += 1e-6; }),
                HasSubstr("step_time: it says"));
    EXPECT_EQ(said_of([](auto& ring) { ring.step_time *= 1 + 1e-12; }), "");
    // 0.1 of the work moves from P2 to P4, who then takes 40 more.
    EXPECT_THAT(said_of([](auto& ring) {
                    ring.shares[1].second -= 0.1;
                    ring.shares[3].second += 0.1;
                }),
                HasSubstr("and 'P4' takes 90.29"));
    EXPECT_EQ(said_of([](auto& ring) { ring.lower_bound = ring.step_time; }), "");
    EXPECT_THAT(said_of([](auto& ring) { ring.lower_bound = 51; }),
                HasSubstr("lower_bound: 51 is more than the step takes, 50.29"));
}

TEST(CheckRing, two_hosts_have_four_paths_and_one_has_none) {
    network::LinksNetwork network;
    network.nodes = {{"x", 2.0, 0}, {"y", 2.0, 0}};
    network.links = {{"l", network::LinksNetwork::Ends{0, 1}, BytesPerSecond(4), Seconds(0),
                      Kind::bidirectional}};
    schedule::StatedRing ring;
    ring.work = 10;
    ring.exchange = 1;
    ring.order = {"x", "y"};
    ring.shares = {{"x", 0.5}, {"y", 0.5}};
    ring.paths = {{"x", "y", {"l"}, 1}, {"x", "y", {"l"}, 1}, {"y", "x", {"l"}, 1}};
    ring.step_time = 12;
    EXPECT_EQ(check_ring(ring, network).violation, "paths: 'y' has none to its predecessor 'x'");
    ring.paths.push_back(ring.paths.back());
    EXPECT_EQ(check_ring(ring, network).violation.value_or(""), "");
    ring.paths.push_back(ring.paths.back());
    EXPECT_EQ(check_ring(ring, network).violation, "paths[4]: one more path from 'y' to 'x'");

    ring.order = {"y"};
    ring.shares = {{"y", 1}};
    EXPECT_EQ(check_ring(ring, network).violation, "paths[0]: 'x' is not in the ring");
    ring.paths.clear();
    EXPECT_THAT(check_ring(ring, network).violation.value_or(""), HasSubstr("'y' takes 20"));
    ring.step_time = 20;
    EXPECT_EQ(check_ring(ring, network).violation.value_or(""), "");
    ring.order.clear();
    EXPECT_EQ(check_ring(ring, network).violation, "ring: no host");
}

TEST(CheckRing, fair_messages_share_a_link_while_they_are_on_it) {
    network::LinksNetwork network;
    network.nodes = {{"x", 2.0, 0}, {"y", 2.0, 0}};
    network.links = {{"l", network::LinksNetwork::Ends{0, 1}, BytesPerSecond(4), Seconds(0),
                      Kind::bidirectional}};
    // Both work for 10, then four messages of 1 divide 4.
    schedule::StatedRing ring;
    ring.sharing = schedule::RingSharing::fair;
    ring.work = 10;
    ring.exchange = 1;
    ring.order = {"x", "y"};
    ring.shares = {{"x", 0.5}, {"y", 0.5}};
    ring.paths = {
        {"x", "y", {"l"}, 1}, {"x", "y", {"l"}, 1}, {"y", "x", {"l"}, 1}, {"y", "x", {"l"}, 1}};
    ring.step_time = 11;
    EXPECT_EQ(check_ring(ring, network).violation.value_or(""), "");
    ring.step_time = 12;
    EXPECT_EQ(check_ring(ring, network).violation.value_or(""),
              "step_time: it says 12, and the step takes 11");
    ring.paths[2].bandwidth = 1.5;
    EXPECT_EQ(check_ring(ring, network).violation.value_or(""),
              "the path from 'y' to 'x': it says that it gets 1.5, and gets 1");
}

}  // namespace
}  // namespace espalier::simulate
