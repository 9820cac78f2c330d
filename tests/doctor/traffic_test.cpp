#include "doctor/hand_made.hpp"

#include <gtest/gtest.h>

namespace espalier::doctor {
namespace {

void cap(Pair& pair, double rate) { pair.rate_Bps = std::min(*pair.rate_Bps, rate); }

void lose(Pair& pair, std::uint64_t packets) { pair.small_received = pair.small_sent - packets; }

TEST(Traffic, sites_that_are_far_apart_and_slower_between_are_healthy) {
    EXPECT_EQ(faults_in_short(healthy({8})), "");
    EXPECT_EQ(faults_in_short(healthy({5, 3, 1, 1})), "");
    EXPECT_EQ(faults_in_short(healthy({1, 1})), "");
}

TEST(Traffic, a_slow_card_slows_both_directions_of_a_host) {
    Facts facts = healthy({6, 4});
    change(
        facts, [](auto from, auto to) { return from == 2 || to == 2; },
        [](Pair& pair) { cap(pair, 12e6); });
    EXPECT_EQ(faults_in_short(facts), "slow-card: h2");
}

TEST(Traffic, a_slow_card_shows_only_where_nothing_slower_comes_first) {
    Facts facts = healthy({4, 8});
    change(
        facts, [](auto from, auto to) { return from == 2 || to == 2; },
        [](Pair& pair) { cap(pair, 20e6); });
    EXPECT_EQ(faults_in_short(facts), "slow-card: h2");
}

TEST(Traffic, a_direction_of_a_host_is_told_from_both) {
    Facts facts = healthy({6, 4});
    change(
        facts, [](auto from, auto) { return from == 7; }, [](Pair& pair) { cap(pair, 3e6); });
    EXPECT_EQ(faults_in_short(facts), "one-way: h7");
    EXPECT_NE(faults_of(facts).at(0).where.find("what h7 sends"), std::string::npos);
}

TEST(Traffic, a_way_between_two_hosts_is_not_its_hosts) {
    Facts facts = healthy({8});
    change(
        facts, [](auto from, auto to) { return from == 1 && to == 4; },
        [](Pair& pair) { cap(pair, 4e6); });
    EXPECT_EQ(faults_in_short(facts), "one-way: h1 h4");
}

TEST(Traffic, what_many_hosts_have_in_common_is_no_fault) {
    Facts facts = healthy({10});
    change(
        facts, [](auto from, auto to) { return from < 4 || to < 4; },
        [](Pair& pair) { cap(pair, 10e6); });
    EXPECT_EQ(faults_in_short(facts), "");
}

TEST(Traffic, a_narrow_place_between_racks_is_no_hosts_fault) {
    Facts facts = healthy({10});
    change(
        facts, [](auto from, auto to) { return (from < 5) != (to < 5); },
        [](Pair& pair) { cap(pair, 20e6); });
    EXPECT_EQ(faults_in_short(facts), "");
}

TEST(Traffic, less_out_of_a_site_than_into_it_is_advice) {
    Facts facts = healthy({4, 4, 4});
    change(
        facts, [](auto from, auto to) { return from < 4 && to >= 4; },
        [](Pair& pair) { cap(pair, 2e6); });
    EXPECT_EQ(faults_in_short(facts), "");
    EXPECT_EQ(diagnose(facts).at(0).cause, "one-way");
}

TEST(Traffic, few_losses_on_all_ways_of_a_host_are_its_own) {
    Facts facts = healthy({8, 4});
    change(
        facts, [](auto from, auto to) { return from == 9 || to == 9; },
        [](Pair& pair) { lose(pair, (pair.from + pair.to) % 3); });
    EXPECT_EQ(faults_in_short(facts), "loss: h9");
}

TEST(Traffic, as_many_losses_on_one_way_are_that_ways) {
    Facts facts = healthy({8, 4});
    change(
        facts, [](auto from, auto to) { return from == 9 && to == 1; },
        [](Pair& pair) { lose(pair, 20); });
    EXPECT_EQ(faults_in_short(facts), "loss: h9 h1");
}

TEST(Traffic, losses_on_what_leaves_a_site_name_the_site) {
    Facts facts = healthy({3, 3, 3});
    change(
        facts, [](auto from, auto to) { return from < 3 && to >= 3; },
        [](Pair& pair) { lose(pair, 4); });
    EXPECT_EQ(faults_in_short(facts), "loss: h0 h1 h2");
}

TEST(Traffic, what_a_busy_receiver_dropped_the_network_did_not) {
    Facts facts = healthy({8});
    change(
        facts, [](auto, auto to) { return to == 3; }, [](Pair& pair) { lose(pair, 10); });
    EXPECT_EQ(faults_in_short(facts), "loss: h3");
    facts.hosts[3].overflowed = 70;
    EXPECT_EQ(faults_in_short(facts), "");
}

TEST(Traffic, jitter_is_told_from_slowness_which_it_looks_like_too) {
    Facts facts = healthy({8});
    change(
        facts, [](auto from, auto to) { return from == 5 || to == 5; },
        [](Pair& pair) {
            pair.spread_s = 2e-3;
            cap(pair, 4e6);
        });
    EXPECT_EQ(faults_in_short(facts), "jitter: h5");
}

TEST(Traffic, packets_that_wait_for_one_another_on_a_narrow_way_are_no_jitter) {
    Facts facts = healthy({8});
    change(
        facts, [](auto from, auto to) { return from == 5 || to == 5; },
        [](Pair& pair) {
            pair.spread_s = 1e-3;
            cap(pair, 1e6);
        });
    EXPECT_EQ(faults_in_short(facts), "slow-card: h5");
}

TEST(Traffic, a_slow_host_explains_what_it_is_late_with) {
    Facts facts = healthy({8});
    facts.hosts[5].work_s = 0.2;
    change(
        facts, [](auto from, auto to) { return from == 5 || to == 5; },
        [](Pair& pair) {
            pair.spread_s = 2e-3;
            lose(pair, 9);
        });
    EXPECT_EQ(faults_in_short(facts), "slow-host: h5");
}

TEST(Traffic, a_host_that_answers_nothing_is_out_of_reach) {
    Facts facts = healthy({8});
    change(
        facts, [](auto from, auto to) { return from == 5 || to == 5; },
        [](Pair& pair) {
            pair.small_received = pair.large_received = 0;
            pair.round_trip_s = pair.spread_s = pair.rate_Bps = std::nullopt;
            pair.connects = false;
        });
    EXPECT_EQ(faults_in_short(facts), "unreachable: h5");
    // A firewall that lets connections through hides the rest, and is no fault.
    change(
        facts, [](auto, auto) { return true; },
        [](Pair& pair) {
            if (pair.connects) pair.connects = true;
        });
    EXPECT_EQ(faults_in_short(facts), "");
    EXPECT_EQ(diagnose(facts).at(0).cause, "unreachable");
}

TEST(Traffic, large_packets_that_alone_get_lost_are_too_large) {
    Facts facts = healthy({8});
    change(
        facts, [](auto from, auto to) { return from == 5 || to == 5; },
        [](Pair& pair) { pair.large_received = 0; });
    EXPECT_EQ(faults_in_short(facts), "mtu: h5");
}

TEST(Traffic, an_interface_that_agreed_on_less_speed_is_named) {
    Facts facts = healthy({6});
    for (Host& host : facts.hosts) host.interfaces[1].speed_Bps = 125e6;
    facts.hosts[4].interfaces[1].speed_Bps = 12.5e6;
    EXPECT_EQ(faults_in_short(facts), "slow-card: h4");
}

}  // namespace
}  // namespace espalier::doctor
