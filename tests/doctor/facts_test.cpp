#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/subprocess.hpp"
#include "doctor/arrivals.hpp"
#include "doctor/hand_made.hpp"
#include "doctor/meeting.hpp"
#include "doctor/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace espalier::doctor {
namespace {

using ::testing::HasSubstr;

Host host_with(const std::vector<Interface>& cards) {
    Host host;
    host.interfaces = cards;
    return host;
}

Interface card(const std::string& name, const std::string& address) {
    return {name, {{address, 24}}, "", 1500, 0, true, false};
}

TEST(CardNetworks, interfaces_of_one_subnet_belong_together_whatever_they_are_called) {
    const auto networks =
        networks_of({host_with({card("eth0", "10.0.0.1"), card("ib0", "10.1.0.1")}),
                     host_with({card("enp3s0", "10.0.0.2"), card("ib0", "10.1.0.2")}),
                     host_with({card("eth0", "10.0.0.3")})});
    ASSERT_EQ(networks.size(), 2U);
    EXPECT_EQ(networks[0].name, "eth0");
    EXPECT_EQ(networks[0].members.size(), 3U);
    EXPECT_EQ(networks[1].members.size(), 2U);
}

TEST(CardNetworks, interfaces_of_one_name_belong_together_across_subnets) {
    const auto networks =
        networks_of({host_with({card("eth0", "10.0.0.1")}), host_with({card("eth0", "10.7.0.1")})});
    ASSERT_EQ(networks.size(), 1U);
    EXPECT_EQ(networks[0].members.size(), 2U);
}

TEST(CardNetworks, no_host_has_two_interfaces_in_one) {
    const auto networks =
        networks_of({host_with({card("eth0", "10.0.0.1"), card("eth1", "10.1.0.1")}),
                     host_with({card("eth1", "10.0.0.2"), card("eth0", "10.1.0.2")})});
    ASSERT_EQ(networks.size(), 2U);
    EXPECT_EQ(networks[0].members[1].address, "10.0.0.2");
}

TEST(CardNetworks, an_address_that_others_bear_is_not_taken_where_there_is_another) {
    Interface both = card("eth0", "10.0.0.2");
    both.addresses.push_back({"10.0.0.1", 24});
    std::reverse(both.addresses.begin(), both.addresses.end());
    const auto networks = networks_of({host_with({card("eth0", "10.0.0.1")}), host_with({both})});
    EXPECT_EQ(networks.at(0).members.at(1).address, "10.0.0.2");
}

TEST(Arrivals, a_train_tells_the_rate_of_its_way) {
    Arrivals arrivals;
    for (unsigned place = 0; place < 5; ++place)
        arrivals.add_large({1, place, 1500, 0, std::int64_t{150'000} * place});
    EXPECT_NEAR(arrivals.rate().value(), 10e6, 1);
    EXPECT_EQ(arrivals.large(), 5U);
}

TEST(Arrivals, a_train_that_was_not_sent_at_once_tells_nothing) {
    Arrivals arrivals;
    for (unsigned place = 0; place < 5; ++place)
        arrivals.add_large(
            {1, place, 1500, std::int64_t{100'000} * place, std::int64_t{150'000} * place});
    EXPECT_FALSE(arrivals.rate());
}

TEST(Arrivals, what_slows_down_a_quarter_of_the_trains_does_not_show) {
    Arrivals arrivals;
    for (unsigned train = 0; train < 8; ++train)
        for (unsigned place = 0; place < 3; ++place)
            arrivals.add_large(
                {train, place, 1500, 0, std::int64_t{train < 2 ? 900'000 : 150'000} * place});
    EXPECT_NEAR(arrivals.rate().value(), 10e6, 1);
}

TEST(Arrivals, the_spread_of_delays_needs_no_common_clock) {
    Arrivals arrivals;
    for (int i = 0; i <= 100; ++i) arrivals.add_small(7'000'000'000 + std::int64_t{1000} * i);
    EXPECT_NEAR(arrivals.spread().value(), 50e-6, 1e-9);
    EXPECT_EQ(arrivals.small(), 101U);
}

TEST(DoctorFile, has_a_row_for_each_host_and_the_causes_that_were_found_of_it) {
    Facts facts = healthy({6});
    facts.hosts[3].settings["net.ipv4.tcp_rmem"] = "4096 16384 65536";
    change(
        facts, [](std::size_t from, std::size_t) { return from == 1; },
        [](Pair& pair) { pair.small_received = 150; });
    const std::vector<Finding> findings = diagnose(facts);
    EXPECT_EQ(verdict_of(facts, findings), "6 hosts, 1 network (eth0): 2 faults");
    const std::vector<HostRow> rows = host_rows(facts);
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_EQ(rows[1].host, 1U);
    EXPECT_EQ(rows[1].cells.at(2), "10.0.0.2");
    EXPECT_EQ(rows[1].cells.at(7), "5%");
    EXPECT_EQ(causes_of("h1", findings), std::vector<std::string>{"loss"});
    EXPECT_EQ(causes_of("h3", findings), std::vector<std::string>{"buffers"});
    EXPECT_TRUE(causes_of("h0", findings).empty());
}

TEST(DoctorFile, says_what_was_seen_so_that_the_same_follows) {
    Facts facts = healthy({3, 2});
    facts.hosts[1].environment["UCX_NET_DEVICES"] = "eth3";
    facts.pairs[0].round_trip_s.reset();
    facts.pairs[0].connects = true;
    const std::string text = to_json(facts, diagnose(facts)).dump();
    Json storage;
    const Facts read = facts_from_json(JsonValue::parse("doctor.json", text, storage));
    EXPECT_EQ(to_json(read, diagnose(read)).dump(), text);
}

TEST(DoctorFile, is_refused_where_a_pair_is_between_hosts_that_are_not_there) {
    Json document = to_json(healthy({2}), {});
    document["pairs"][0]["to"] = 2;
    Json storage;
    const JsonValue value = JsonValue::parse("doctor.json", document.dump(), storage);
    EXPECT_THROW((void)facts_from_json(value), InputError);
}

TEST(DoctorText, has_each_finding_with_evidence_and_remedy_and_a_row_for_each_host) {
    Facts facts = healthy({4});
    facts.hosts[1].settings["net.ipv4.tcp_wmem"] = "4096 16384 65536";
    const std::string text = to_text(facts, diagnose(facts), -1);
    EXPECT_THAT(text, HasSubstr("4 hosts, 1 network (eth0): 1 fault\n"));
    EXPECT_THAT(text, HasSubstr("1. buffers: h1 (net.ipv4.tcp_wmem)\n   seen: "));
    EXPECT_THAT(text, HasSubstr("\n   mend: sysctl -w net.ipv4.tcp_wmem="));
    EXPECT_THAT(text, HasSubstr("\n  h3 "));
    EXPECT_THAT(to_text(healthy({4}), {}, -1), HasSubstr("nothing wrong was seen"));
}

TEST(Meeting, an_invitation_is_one_word_and_back) {
    const Invitation invitation{UINT64_MAX, 4711, {"10.0.0.1", "127.0.0.1"}};
    const auto read = Invitation::parse(invitation.text());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->text(), invitation.text());
    EXPECT_EQ(invitation.text().find(' '), std::string::npos);
    EXPECT_FALSE(Invitation::parse("none"));
    EXPECT_FALSE(Invitation::parse(""));
}

TEST(Meeting, a_card_says_who_is_missing) {
    const Host read = host_of_card(card_of(healthy({2}).hosts[1]));
    EXPECT_EQ(read.name, "h1");
    EXPECT_FALSE(read.present);
    EXPECT_EQ(read.interfaces.at(0).addresses.at(0).text, "10.0.0.2");
}

TEST(Meeting, that_one_process_attends_sees_its_host) {
    const Meeting meeting = open_meeting(Host{});
    Host here;
    here.name = "stranger";
    Invitation forged = meeting.invitation;
    ++forged.token;
    Subprocess stranger([&] { return attend_meeting(forged, 0, here) ? 0 : 1; });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    here.name = "alone";
    Subprocess guest([&] { return attend_meeting(meeting.invitation, 0, here) ? 0 : 1; });
    const Facts facts = hold_meeting(
        meeting, 1, [](std::size_t) { return std::string(); }, [](const char*, double) {});
    ASSERT_EQ(facts.hosts.size(), 1U);
    EXPECT_EQ(facts.hosts[0].name, "alone");
    EXPECT_GT(facts.hosts[0].work_s, 0);
    EXPECT_EQ(guest.wait(), 0);
}

}  // namespace
}  // namespace espalier::doctor
