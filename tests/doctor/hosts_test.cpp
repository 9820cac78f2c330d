#include "doctor/hand_made.hpp"

#include <gtest/gtest.h>

namespace espalier::doctor {
namespace {

Interface card(const std::string& name, const std::string& address) {
    return {name, {{address, 24}}, "", 1500, 0, true, false};
}

TEST(Hosts, an_address_that_two_bear_names_both) {
    Facts facts = healthy({6});
    facts.hosts[2].interfaces[1].addresses.push_back({"10.0.0.5", 24});
    EXPECT_EQ(faults_in_short(facts), "duplicate-address: h2 h4");
}

TEST(Hosts, an_address_that_all_bear_is_a_bridge_to_leave_out) {
    Facts facts = healthy({6});
    for (Host& host : facts.hosts) host.interfaces.push_back(card("docker0", "172.17.0.1"));
    facts.networks = networks_of(facts.hosts);
    EXPECT_EQ(faults_in_short(facts), "");
    EXPECT_EQ(diagnose(facts).at(0).remedy, "OMPI_MCA_btl_tcp_if_exclude=lo,docker0");
}

TEST(Hosts, one_that_never_came_is_out_of_reach_unless_its_address_says_why) {
    Facts facts = healthy({6});
    Host absent;
    absent.name = "lost";
    absent.present = false;
    absent.interfaces.push_back({"?", {{"10.0.0.99", 32}}});
    facts.hosts.push_back(absent);
    EXPECT_EQ(faults_in_short(facts), "unreachable: lost");
    facts.hosts.back().interfaces[0].addresses.push_back({"10.0.0.1", 32});
    EXPECT_EQ(faults_in_short(facts), "duplicate-address: h0 lost");
}

TEST(Hosts, half_of_them_older_is_no_fault) {
    Facts facts = healthy({8});
    for (std::size_t i = 0; i < 4; ++i) facts.hosts[i].work_s = 0.1;
    EXPECT_EQ(faults_in_short(facts), "");
}

TEST(Settings, less_than_half_of_the_buffers_of_others_is_too_little) {
    Facts facts = healthy({6});
    facts.hosts[3].settings["net.ipv4.tcp_rmem"] = "4096 131072 3500000";
    EXPECT_EQ(faults_in_short(facts), "");
    facts.hosts[3].settings["net.ipv4.tcp_rmem"] = "4096 16384 65536";
    EXPECT_EQ(faults_in_short(facts), "buffers: h3");
    EXPECT_EQ(
        faults_of(facts).at(0).remedy,
        "sysctl -w net.ipv4.tcp_rmem=\"4096 131072 6291456\" (and in /etc/sysctl.d, to stay)");
}

TEST(Settings, a_switch_that_differs_is_named_with_its_host) {
    Facts facts = healthy({6});
    facts.hosts[1].settings["net.ipv4.tcp_slow_start_after_idle"] = "1";
    EXPECT_EQ(faults_in_short(facts), "setting: h1");
}

TEST(Settings, another_packet_size_is_named_with_its_host) {
    Facts facts = healthy({6});
    facts.hosts[1].interfaces[1].mtu = 9000;
    EXPECT_EQ(faults_in_short(facts), "mtu: h1");
}

TEST(Settings, buffers_that_hold_less_than_is_under_way_are_advised_upon) {
    Facts facts = healthy({4, 4});
    change(
        facts, [](auto from, auto to) { return (from < 4) != (to < 4); },
        [](Pair& pair) {
            pair.rate_Bps = 40e6;
            pair.round_trip_s = 0.2;
        });
    const auto findings = diagnose(facts);
    EXPECT_EQ(faults_in_short(facts), "");
    EXPECT_EQ(findings.at(0).cause, "buffers");
    EXPECT_EQ(findings.at(0).where, "net.ipv4.tcp_wmem");
}

TEST(Names, one_that_others_take_for_another_address_is_its_hosts) {
    Facts facts = healthy({6});
    for (Host& host : facts.hosts) host.names["h2"] = {"10.9.9.9"};
    EXPECT_EQ(faults_in_short(facts), "name: h2");
}

TEST(Names, one_that_a_single_host_has_wrong_is_that_hosts) {
    Facts facts = healthy({6});
    facts.hosts[4].names["h2"] = {"10.9.9.9"};
    EXPECT_EQ(faults_in_short(facts), "name: h4");
}

TEST(Names, that_nobody_knows_are_advised_upon) {
    Facts facts = healthy({6});
    for (Host& host : facts.hosts)
        for (auto& [name, addresses] : host.names) addresses.clear();
    EXPECT_EQ(faults_in_short(facts), "");
    EXPECT_EQ(diagnose(facts).at(0).cause, "name");
}

TEST(Names, that_two_hosts_bear_are_a_fault) {
    Facts facts = healthy({6});
    facts.hosts[4].name = "h2";
    EXPECT_EQ(faults_in_short(facts).substr(0, 8), "name: h2");
}

TEST(Cards, a_variable_that_names_none_is_named) {
    Facts facts = healthy({6});
    facts.hosts[3].environment["GLOO_SOCKET_IFNAME"] = "eth9";
    EXPECT_EQ(faults_in_short(facts), "wrong-card: h3");
    EXPECT_EQ(faults_of(facts).at(0).remedy, "GLOO_SOCKET_IFNAME=eth0");
}

TEST(Cards, names_subnets_beginnings_and_devices_of_other_kinds_are_understood) {
    Facts facts = healthy({6});
    facts.hosts[3].environment = {{"OMPI_MCA_btl_tcp_if_include", "10.0.0.0/8"},
                                  {"NCCL_SOCKET_IFNAME", "eth"},
                                  {"UCX_NET_DEVICES", "mlx5_0:1"},
                                  {"GLOO_SOCKET_IFNAME", "eth0"}};
    EXPECT_EQ(faults_in_short(facts), "");
    facts.hosts[3].environment = {{"OMPI_MCA_btl_tcp_if_include", "11.0.0.0/8"}};
    EXPECT_EQ(faults_in_short(facts), "wrong-card: h3");
    facts.hosts[3].environment = {{"OMPI_MCA_btl_tcp_if_include", "lo"}};
    EXPECT_EQ(faults_in_short(facts), "wrong-card: h3");
}

TEST(Cards, leaving_out_interfaces_has_to_leave_out_loopback) {
    Facts facts = healthy({6});
    facts.hosts[3].environment = {{"OMPI_MCA_btl_tcp_if_exclude", "docker0"}};
    EXPECT_EQ(faults_of(facts).at(0).remedy, "OMPI_MCA_btl_tcp_if_exclude=lo,docker0");
    facts.hosts[3].environment = {{"OMPI_MCA_btl_tcp_if_exclude", "lo,docker0"}};
    EXPECT_EQ(faults_in_short(facts), "");
}

TEST(Cards, a_slower_one_than_there_is_is_named) {
    Facts facts = healthy({6});
    for (std::size_t i = 0; i < 6; ++i)
        facts.hosts[i].interfaces.push_back(card("wlan0", fmt::format("10.0.1.{}", i + 1)));
    facts.networks = networks_of(facts.hosts);
    ASSERT_EQ(facts.networks.size(), 2U);
    const std::vector<Pair> wired = facts.pairs;
    for (Pair pair : wired) {
        pair.network = 1;
        pair.rate_Bps = 5e6;
        facts.pairs.push_back(pair);
    }
    EXPECT_EQ(faults_in_short(facts), "");
    EXPECT_EQ(diagnose(facts).at(0).cause, "wrong-card") << "nothing says which to take";
    facts.hosts[2].environment["UCX_NET_DEVICES"] = "wlan0";
    EXPECT_EQ(faults_in_short(facts), "wrong-card: h2");
    EXPECT_EQ(faults_of(facts).at(0).remedy, "UCX_NET_DEVICES=eth0");
}

}  // namespace
}  // namespace espalier::doctor
