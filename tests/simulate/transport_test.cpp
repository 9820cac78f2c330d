// What a network's transport does to messages that share a capacity.

#include "core/random.hpp"
#include "network/grid_view.hpp"
#include "network/json.hpp"
#include "schedule/validate.hpp"
#include "simulate/check.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <vector>

namespace espalier::simulate {
namespace {

using namespace espalier::test;
using network::Transport;
using schedule::Kind;
using schedule::Schedule;
using schedule::Timeline;
using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

/// Four nodes; a byte takes 0.01 s, and each message 1 s on its way, but between the first and the
/// last 3 s; the ways to the last two share 100 bytes a second.
network::Network narrow(const Transport& transport) {
    network::GridNetwork grid = *uniform_grid(4, 1, 0, 0.01).grid();
    grid.links(0, 3)->latency = grid.links(3, 0)->latency = network::CostTable(Seconds(3));
    grid.shared.push_back({"narrow", BytesPerSecond(100), {{0, 2}, {0, 3}, {1, 2}, {1, 3}}});
    grid.transport = transport;
    return network::Network(std::move(grid));
}

/// What is simulated is valid, too.
std::vector<double> ends(const Schedule& schedule, const Fabric& fabric) {
    const Timeline timeline = simulate(schedule, fabric);
    schedule::StatedPlan stated;
    stated.plan.schedule = schedule;
    stated.plan.timeline = timeline;
    stated.has_times = stated.has_makespan = true;
    EXPECT_EQ(check(stated, fabric).violation, std::nullopt);
    std::vector<double> found;
    for (const auto& times : timeline.transfers) found.push_back(times.end.value);
    return found;
}
std::vector<double> ends(const Schedule& schedule, const network::Network& network) {
    return ends(schedule, *make_fabric(network));
}

constexpr Transport bursts{Bytes(100), Seconds(0), Transport::Shares::evenly};

TEST(Transport, lets_short_messages_pass_in_the_order_in_which_they_come) {
    const Schedule both = test::straight({{0, 2, 100}, {1, 3, 50}});
    EXPECT_THAT(ends(both, narrow({})), ElementsAre(DoubleEq(2.5), DoubleEq(2)));
    EXPECT_THAT(ends(both, narrow(bursts)), ElementsAre(DoubleEq(2), DoubleEq(2.5)));
}

TEST(Transport, lets_the_first_messages_of_all_senders_pass_before_their_second_ones) {
    const Schedule schedule = test::straight({{0, 2, 50}, {0, 3, 50}, {1, 2, 50}, {1, 3, 50}}, 3);
    EXPECT_THAT(ends(schedule, narrow({})),
                ElementsAre(DoubleEq(3), DoubleEq(5), DoubleEq(3), DoubleEq(3)));
    EXPECT_THAT(ends(schedule, narrow(bursts)),
                ElementsAre(DoubleEq(1.5), DoubleEq(4.5), DoubleEq(2), DoubleEq(3)));
}

TEST(Transport, has_short_messages_that_wait_leave_other_capacities_to_those_behind_them) {
    network::GridNetwork grid = *narrow(bursts).grid();
    grid.shared.push_back({"card", BytesPerSecond(100), {{1, 0}, {1, 2}}});
    const Schedule schedule = test::straight({{0, 3, 100}, {1, 2, 100}, {1, 0, 100}}, 3);
    EXPECT_THAT(ends(schedule, network::Network(grid)),
                ElementsAre(DoubleEq(4), DoubleEq(3), DoubleEq(2)));
}

TEST(Transport, has_short_messages_come_to_what_is_at_their_receivers_end_a_latency_later) {
    network::GridNetwork grid = *narrow(bursts).grid();
    grid.shared = {{"down", BytesPerSecond(100), {{0, 3}, {1, 3}}}};
    const network::Network network(grid);
    const network::GridView view(*network.grid());
    const auto fabric = make_rank_fabric(view, {{0, 0}, {1, 0}, {2, 0}, {3, 0}});
    // One is through before the other comes.
    EXPECT_THAT(ends(test::straight({{0, 3, 100}, {1, 3, 100}}, 3), *fabric),
                ElementsAre(DoubleEq(4), DoubleEq(2)));
    grid.links(0, 3)->latency = grid.links(1, 3)->latency;
    const network::Network alike(grid);
    const network::GridView alike_view(*alike.grid());
    const auto meeting = make_rank_fabric(alike_view, {{0, 0}, {1, 0}, {2, 0}, {3, 0}});
    EXPECT_THAT(ends(test::straight({{0, 3, 100}, {1, 3, 100}}, 3), *meeting),
                ElementsAre(DoubleEq(2), DoubleEq(3)));
}

TEST(Transport, has_long_messages_begin_with_a_burst_and_go_on_when_short_ones_have_passed) {
    const Schedule schedule = test::straight({{0, 2, 200}, {1, 3, 100}});
    EXPECT_THAT(ends(schedule, narrow(bursts)), ElementsAre(DoubleEq(4), DoubleEq(3)));
}

TEST(Transport, gives_a_connection_of_a_shorter_round_trip_the_greater_share) {
    const Transport by_round_trip{Bytes(0), Seconds(0), Transport::Shares::by_round_trip};
    const Schedule schedule = test::straight({{0, 2, 300}, {0, 3, 300}}, 3);
    EXPECT_THAT(ends(schedule, narrow({})), ElementsAre(DoubleEq(7), DoubleEq(9)));
    // About 75 and 25 bytes a second, until the nearer has all.
    EXPECT_THAT(ends(schedule, narrow(by_round_trip)),
                ElementsAre(DoubleNear(5, 0.01), DoubleEq(9)));
}

TEST(Transport, loses_bytes_under_incast) {
    const Transport two_fit{Bytes(50), Seconds(1), Transport::Shares::evenly};
    const auto fits = test::straight({{0, 2, 200}, {0, 3, 200}}, 4);
    EXPECT_EQ(ends(fits, narrow(two_fit)), ends(fits, narrow({})));
    const auto incast = test::straight({{0, 2, 200}, {0, 3, 200}, {1, 2, 200}, {1, 3, 200}}, 4);
    EXPECT_THAT(ends(incast, narrow({})),
                ElementsAre(DoubleEq(9), DoubleEq(11), DoubleEq(9), DoubleEq(9)));
    const double taken = 8 * std::pow(2, 0.75);
    EXPECT_THAT(ends(incast, narrow(two_fit)),
                ElementsAre(DoubleEq(taken + 1), DoubleEq(taken + 3), DoubleEq(taken + 1),
                            DoubleEq(taken + 1)));
    const auto of_short_ones = test::straight({{0, 2, 50}, {0, 3, 50}, {1, 2, 50}, {1, 3, 50}}, 4);
    EXPECT_THAT(ends(of_short_ones, narrow(two_fit)),
                ElementsAre(DoubleEq(1.5), DoubleEq(4.5), DoubleEq(2), DoubleEq(3)));
}

TEST(Transport, times_that_incast_does_not_allow_are_no_valid_plan) {
    const Transport two_fit{Bytes(50), Seconds(1), Transport::Shares::evenly};
    schedule::StatedPlan stated;
    stated.plan.schedule = test::straight({{0, 2, 200}, {0, 3, 200}, {1, 2, 200}, {1, 3, 200}}, 4);
    const network::Network without = narrow({});
    stated.plan.timeline = simulate(stated.plan.schedule, *make_fabric(without));
    stated.has_times = stated.has_makespan = true;
    EXPECT_EQ(check(stated, *make_fabric(without)).violation, std::nullopt);
    const network::Network with = narrow(two_fit);
    EXPECT_THAT(check(stated, *make_fabric(with)).violation,
                ::testing::Optional(::testing::HasSubstr("asks more of 'narrow'")));
}

}  // namespace
}  // namespace espalier::simulate
