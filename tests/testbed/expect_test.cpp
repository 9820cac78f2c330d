#include "testbed/expect.hpp"

#include "testbed/describe.hpp"
#include "testbed/read_topology.hpp"

#include <gmock/gmock.h>

#include <numeric>
#include <set>
#include <string>

namespace espalier::testbed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Topology example(const std::string& name) {
    return read_topology(ESPALIER_SOURCE_DIR "/testbed/examples/" + name + ".json");
}

std::size_t host(const Topology& topology, const std::string& name) {
    for (std::size_t i = 0; i < topology.hosts.size(); ++i)
        if (topology.hosts[i].name == name) return i;
    ADD_FAILURE() << "no host " << name;
    return 0;
}

HostPair pair(const Topology& topology, const std::string& from, const std::string& to) {
    return {host(topology, from), host(topology, to)};
}

/// In megabits a second.
std::vector<long> megabits(const std::vector<BytesPerSecond>& rates) {
    std::vector<long> rounded;
    for (const BytesPerSecond rate : rates) rounded.push_back(std::lround(rate.value * 8e-6));
    return rounded;
}

TEST(Expect, a_round_trip_has_both_latencies_and_the_time_on_each_queue) {
    const Topology topology = example("two-regions");
    // 64 bytes with 28 of UDP and IP and 38 of framing: 130 on each queue.
    const double sites = 130.0 / 25e6 + 130.0 / 25e6 + 130.0 / 12.5e6 + 130.0 / 25e6;
    const double cards = 4 * 130.0 / 62.5e6;
    EXPECT_NEAR(asked_round_trip(topology, pair(topology, "fra-a-0", "ore-0"), Bytes(64)).value,
                0.145 + sites + cards, 1e-12);
    // No frame is shorter than 64 bytes, with preamble and gap 84.
    EXPECT_NEAR(asked_round_trip(topology, pair(topology, "ore-0", "ore-1"), Bytes(1)).value,
                0.000240 + 4 * 84.0 / 62.5e6, 1e-12);
}

TEST(Expect, flows_share_a_queue_alike_and_leave_what_they_can_not_use) {
    const Topology topology = example("slow-host");
    EXPECT_THAT(megabits(fair_rates(topology, {pair(topology, "node-0", "old")})),
                ElementsAre(100));
    // All leave node-0; what `old` can't take is for the other two.
    EXPECT_THAT(megabits(fair_rates(
                    topology, {pair(topology, "node-0", "old"), pair(topology, "node-0", "node-1"),
                               pair(topology, "node-0", "node-2")})),
                ElementsAre(100, 200, 200));
    EXPECT_THAT(megabits(fair_rates(topology, {pair(topology, "node-0", "node-1"),
                                               pair(topology, "node-2", "node-3")})),
                ElementsAre(500, 500));
}

TEST(Expect, each_pair_of_clusters_and_each_kind_of_host_is_looked_at) {
    EXPECT_THAT(pairs_of_clusters(example("three-sites"), 100), SizeIs(15 + 4));
    const Topology topology = example("slow-host");
    EXPECT_THAT(pairs_of_clusters(topology, 100),
                ElementsAre(pair(topology, "node-0", "node-1"), pair(topology, "node-0", "old")));
}

TEST(Expect, too_many_pairs_are_thinned_out_evenly) {
    const auto all = pairs_of_clusters(example("three-sites"), 100);
    const auto some = pairs_of_clusters(example("three-sites"), 7);
    ASSERT_THAT(some, SizeIs(7));
    EXPECT_EQ(some.front(), all.front());
    EXPECT_GT(some.back(), all[all.size() - 4]);
}

TEST(Expect, each_uplink_and_downlink_of_three_sites_is_contended_for_by_hosts_of_their_own) {
    const Topology topology = example("three-sites");
    const auto found = contentions(topology, 3, 100);
    std::set<std::string> names;
    for (const Contention& contention : found) {
        names.insert(topology.queues[contention.queue].name);
        std::set<std::size_t> hosts;
        for (const HostPair& flow : contention.flows) hosts.insert({flow.from, flow.to});
        EXPECT_EQ(hosts.size(), 6U);
        const auto rates = fair_rates(topology, contention.flows);
        EXPECT_NEAR(std::accumulate(rates.begin(), rates.end(), BytesPerSecond(0)).value, 1e7, 1);
    }
    EXPECT_THAT(names, ElementsAre("grenoble downlink", "grenoble uplink", "orsay downlink",
                                   "orsay uplink", "toulouse downlink", "toulouse uplink"));
    EXPECT_THAT(contentions(topology, 3, 2), SizeIs(2));
}

TEST(Expect, where_nothing_is_shared_nothing_is_contended_for) {
    EXPECT_THAT(contentions(example("slow-host"), 3, 100), IsEmpty());
}

TEST(Describe, says_what_is_shared_and_what_lies_between) {
    const std::string text = describe(example("three-sites"));
    EXPECT_THAT(text, HasSubstr("25 hosts in 6 clusters on 3 sites\n"));
    EXPECT_THAT(text, HasSubstr("8: orsay-a-0 … orsay-a-7    47.6 us         400 Mbit/s"));
    EXPECT_THAT(text, HasSubstr("orsay uplink       80 Mbit/s  1 MiB           150\n"));
    EXPECT_THAT(text, HasSubstr("idpot-c   orsay-b   12.2 ms  80 Mbit/s   grenoble uplink, orsay "
                                "downlink\n"));
}

TEST(Describe, says_between_which_rates_hosts_differ) {
    EXPECT_THAT(describe(example("slow-host")),
                HasSubstr("5: node-0 … old  100 us          100 Mbit/s to 500 Mbit/s"));
}

}  // namespace
}  // namespace espalier::testbed
