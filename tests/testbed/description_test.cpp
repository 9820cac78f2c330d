#include "core/error.hpp"
#include "testbed/read_topology.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

namespace espalier::testbed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto two_sites = R"({"format":"espalier-testbed","version":1,
 "sites":[{"name":"here","uplink":"80Mbit/s","downlink":"40Mbit/s","buffer":"256KiB"},
          {"name":"there","uplink":"10MB/s"}],
 "clusters":[{"name":"a","site":"here","hosts":2,"latency":"50us","rate":"400Mbit/s"},
             {"name":"b","site":"here","hosts":["solo"],"rate":"1Gbit/s","buffer":"32KiB"},
             {"name":"c","site":"there","hosts":["x",{"name":"slow","rate":"8Mbit/s"}],
              "latency":"1ms","rate":"400Mbit/s"},
             {"name":"free","hosts":1,"rate":"400Mbit/s"}],
 "latency":[["here","here","70us"], ["here","there","5ms"], ["there","here","6ms"],
            ["b","c","7ms","16Mbit/s"], ["free","a","1ms"], ["free","b","2ms"],
            ["free","c","3ms","24Mbit/s","128KiB"], ["c","free","4ms"]]})";

std::size_t host(const Topology& topology, const std::string& name) {
    for (std::size_t i = 0; i < topology.hosts.size(); ++i)
        if (topology.hosts[i].name == name) return i;
    ADD_FAILURE() << "no host " << name;
    return 0;
}

/// What a frame passes, by name, the latency in microseconds.
std::vector<std::string> path(const Topology& topology, const std::string& from,
                              const std::string& to) {
    const Path& path = topology.paths(host(topology, from), host(topology, to));
    std::vector<std::string> names;
    for (const auto queue : path.before) names.push_back(topology.queues[queue].name);
    names.push_back(std::to_string(std::lround(path.latency.value * 1e6)));
    for (const auto queue : path.after) names.push_back(topology.queues[queue].name);
    return names;
}

const Queue& queue(const Topology& topology, const std::string& name) {
    for (const Queue& queue : topology.queues)
        if (queue.name == name) return queue;
    ADD_FAILURE() << "no queue " << name;
    return topology.queues.front();
}

TEST(Description, names_hosts_by_their_cluster_or_as_listed) {
    const Topology topology = parse_topology(two_sites, "file");
    std::vector<std::string> names;
    for (const Host& host : topology.hosts)
        names.push_back(host.name + " " + host.cluster + " " + host.site);
    EXPECT_THAT(names, ElementsAre("a-0 a here", "a-1 a here", "solo b here", "x c there",
                                   "slow c there", "free-0 free "));
}

TEST(Description, inside_a_cluster_only_the_two_hosts_own_queues_count) {
    EXPECT_THAT(path(parse_topology(two_sites, "file"), "a-1", "a-0"),
                ElementsAre("a-1 send", "50", "a-0 receive"));
}

TEST(Description, clusters_of_one_site_cross_no_uplink) {
    EXPECT_THAT(path(parse_topology(two_sites, "file"), "a-1", "solo"),
                ElementsAre("a-1 send", "70", "solo receive"));
}

TEST(Description, another_site_is_behind_the_uplink_and_its_downlink) {
    const Topology topology = parse_topology(two_sites, "file");
    EXPECT_THAT(path(topology, "a-0", "x"),
                ElementsAre("a-0 send", "here uplink", "5000", "x receive"));
    EXPECT_THAT(path(topology, "x", "a-0"),
                ElementsAre("x send", "there uplink", "6000", "here downlink", "a-0 receive"));
}

TEST(Description, a_pair_of_clusters_comes_before_their_sites_and_has_its_own_link) {
    const Topology topology = parse_topology(two_sites, "file");
    EXPECT_THAT(path(topology, "solo", "x"),
                ElementsAre("solo send", "here uplink", "b -> c", "7000", "x receive"));
    EXPECT_THAT(path(topology, "slow", "solo"),
                ElementsAre("slow send", "there uplink", "c -> b", "7000", "here downlink",
                            "solo receive"));
    EXPECT_DOUBLE_EQ(queue(topology, "b -> c").rate.value, 2e6);
}

TEST(Description, a_direction_that_is_given_itself_is_not_taken_from_the_other) {
    const Topology topology = parse_topology(two_sites, "file");
    EXPECT_THAT(path(topology, "free-0", "x"),
                ElementsAre("free-0 send", "free -> c", "3000", "x receive"));
    EXPECT_THAT(path(topology, "x", "free-0"),
                ElementsAre("x send", "there uplink", "4000", "free-0 receive"));
}

TEST(Description, rates_and_buffers_are_those_stated) {
    const Topology topology = parse_topology(two_sites, "file");
    EXPECT_DOUBLE_EQ(queue(topology, "here uplink").rate.value, 1e7);
    EXPECT_DOUBLE_EQ(queue(topology, "here downlink").rate.value, 5e6);
    EXPECT_EQ(queue(topology, "here downlink").buffer, Bytes(256 << 10));
    EXPECT_EQ(queue(topology, "solo receive").buffer, Bytes(32 << 10));
    EXPECT_EQ(queue(topology, "free -> c").buffer, Bytes(128 << 10));
    EXPECT_DOUBLE_EQ(queue(topology, "slow send").rate.value, 1e6);
    // 100 ms of 1 MB/s; of 50 MB/s it would be over 1 MiB.
    EXPECT_EQ(queue(topology, "slow send").buffer, Bytes(100000));
    EXPECT_EQ(queue(topology, "x send").buffer, Bytes(1 << 20));
}

TEST(Description, the_reference_testbed_has_25_hosts_on_three_sites) {
    const Topology topology =
        read_topology(ESPALIER_SOURCE_DIR "/testbed/examples/three-sites.json");
    ASSERT_EQ(topology.hosts.size(), 25U);
    EXPECT_THAT(path(topology, "orsay-a-7", "idpot-c-0"),
                ElementsAre("orsay-a-7 send", "orsay uplink", "12197", "grenoble downlink",
                            "idpot-c-0 receive"));
    EXPECT_THAT(path(topology, "idpot-b-0", "idpot-c-0"),
                ElementsAre("idpot-b-0 send", "242", "idpot-c-0 receive"));
    EXPECT_DOUBLE_EQ(queue(topology, "toulouse downlink").rate.value, 1e7);
    EXPECT_DOUBLE_EQ(queue(topology, "toulouse-4 receive").rate.value, 5e7);
}

struct Bad {
    const char* from;  ///< in two_sites
    const char* to;
    const char* complaint;
};

class BadDescription : public ::testing::TestWithParam<Bad> {};

TEST_P(BadDescription, is_refused_in_one_line_that_names_the_field) {
    std::string text = two_sites;
    const std::string from = GetParam().from;
    const std::size_t place = text.find(from);
    ASSERT_NE(place, std::string::npos);
    text.replace(place, from.size(), GetParam().to);
    try {
        static_cast<void>(parse_topology(text, "file"));
        FAIL() << "it was read";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), GetParam().complaint);
        EXPECT_EQ(error.status(), ExitStatus::bad_input);
    }
}

INSTANTIATE_TEST_SUITE_P(
    all, BadDescription,
    ::testing::Values(
        Bad{"\"site\":\"here\"", "\"site\":\"nowhere\"",
            "file: clusters[0].site: no site is named 'nowhere'"},
        Bad{"80Mbit/s", "0Mbit/s", "file: sites[0].uplink: the rate is 0"},
        Bad{"80Mbit/s", "80",
            "file: sites[0].uplink: '80' is not a rate such as 500kbps or 10MB/s"},
        Bad{"80Mbit/s", "80bit/s",
            "file: sites[0].uplink: 10 bytes/s: a frame of 1538 bytes would take over 2 s"},
        Bad{"256KiB", "512",
            "file: sites[0].uplink: a buffer of 512 bytes does not hold a frame of 1538"},
        Bad{"\"name\":\"there\"", "\"name\":\"here\"",
            "file: sites[1].name: the name 'here' is used twice"},
        Bad{"\"name\":\"b\"", "\"name\":\"a\"",
            "file: clusters[1].name: the name 'a' is used twice"},
        Bad{"\"solo\"", "\"X\"", "file: clusters[2].hosts[0]: the name 'x' is used twice"},
        Bad{"\"solo\"", "\"-\"",
            "file: clusters[1].hosts[0]: '-' can't be a host name: at most 63 letters, digits, "
            "'-', '.' or '_'"},
        Bad{"\"solo\"", "\"LocalHost\"",
            "file: clusters[1].hosts[0]: every host is its own localhost"},
        Bad{"[\"solo\"]", "[]", "file: clusters[1].hosts: no host"},
        Bad{"[\"solo\"]", "0", "file: clusters[1].hosts: at least 1 was expected"},
        Bad{"[\"solo\"]", "2",
            "file: clusters[1]: latency is missing: it has more than one "
            "host"},
        Bad{"\"hosts\":2", "\"hosts\":1e15",
            "file: clusters[0].hosts: a testbed has at most 1000 hosts"},
        Bad{"\"latency\":\"50us\",", "",
            "file: clusters[0]: latency is missing: it has more than one host"},
        Bad{"\"50us\"", "\"-1us\"",
            "file: clusters[0].latency: '-1us' is not a time such as 10ms or 2s"},
        Bad{"\"50us\"", "\"2min\"", "file: clusters[0].latency: more than a minute"},
        Bad{"\"50us\",", "\"50us\",\"speed\":1,", "file: clusters[0].speed: unknown field"},
        Bad{"[\"here\",\"here\",\"70us\"],", "", "file: latency: nothing is said from 'a' to 'b'"},
        Bad{"[\"there\",\"here\",\"6ms\"]", "[\"here\",\"there\",\"6ms\"]",
            "file: latency[2]: from 'here' to 'there' stands there twice"},
        Bad{"[\"free\",\"a\",\"1ms\"]", "[\"free\",\"nobody\",\"1ms\"]",
            "file: latency[4][1]: no cluster and no site is named 'nobody'"},
        Bad{"[\"free\",\"a\",\"1ms\"]", "[\"free\",\"there\",\"1ms\"]",
            "file: latency[4]: from a site to a cluster: two clusters or two sites were expected"},
        Bad{"[\"free\",\"a\",\"1ms\"]", "[\"a\",\"a\",\"1ms\"]",
            "file: latency[4]: inside one cluster, the latency is a field of the cluster"},
        Bad{"[\"free\",\"a\",\"1ms\"]", "[\"free\",\"a\"]",
            "file: latency[4]: [from, to, latency] was expected, and optionally a rate and a "
            "buffer"},
        Bad{"espalier-testbed", "espalier-ring",
            "file: format: 'espalier-testbed' or 'espalier-network' was expected, not "
            "'espalier-ring'"},
        Bad{"\"version\":1", "\"version\":2", "file: version: version 1 was expected, not 2"}));

TEST(Description, a_missing_file_is_named) {
    try {
        static_cast<void>(read_topology("/nowhere/testbed.json"));
        FAIL() << "it was read";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("/nowhere/testbed.json"));
    }
}

}  // namespace
}  // namespace espalier::testbed
