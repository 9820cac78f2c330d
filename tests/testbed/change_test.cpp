#include "testbed/change.hpp"

#include "core/error.hpp"
#include "testbed/differences.hpp"
#include "testbed/read_topology.hpp"
#include "testbed/trace.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace espalier::testbed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Host x is both a cluster's and a host's name, and y a cluster's and a site's.
const Topology& bed() {
    static const Topology topology = parse_topology(
        R"({"format":"espalier-testbed","version":1,
 "sites":[{"name":"here","uplink":"80Mbit/s"},{"name":"y","downlink":"80Mbit/s"}],
 "clusters":[{"name":"a","site":"here","hosts":2,"latency":"50us","rate":"400Mbit/s"},
             {"name":"x","site":"here","hosts":["z","x"],"latency":"50us","rate":"400Mbit/s"},
             {"name":"y","site":"y","hosts":1,"rate":"400Mbit/s"},
             {"name":"v","site":"y","hosts":1,"rate":"400Mbit/s"}],
 "latency":[["here","here","70us"],["here","y","5ms"],["y","v","80us"],["x","v","7ms","8Mbit/s"]]})",
        "file");
    return topology;
}

std::vector<Change> parsed(const std::vector<std::string>& words) {
    return parse_changes(words, bed());
}

std::vector<std::string> queues(const Change& change) {
    std::vector<std::string> names;
    for (const auto queue : change.queues) names.push_back(bed().queues[queue].name);
    return names;
}

std::vector<std::string> paths(const Change& change) {
    std::vector<std::string> names;
    for (const HostPair& pair : change.paths)
        names.push_back(bed().hosts[pair.from].name + ">" + bed().hosts[pair.to].name);
    return names;
}

TEST(Change, a_queue_has_the_name_that_is_described_in_one_part_or_several) {
    EXPECT_THAT(queues(parsed({"here uplink", "rate=1Mbit/s"})[0]), ElementsAre("here uplink"));
    EXPECT_THAT(queues(parsed({"here", "uplink", "rate=1Mbit/s"})[0]), ElementsAre("here uplink"));
    EXPECT_THAT(queues(parsed({"x -> v", "rate=1Mbit/s"})[0]), ElementsAre("x -> v"));
    EXPECT_THAT(queues(parsed({"a-0 send", "rate=1Mbit/s"})[0]), ElementsAre("a-0 send"));
}

TEST(Change, a_host_is_both_its_queues_and_a_cluster_those_of_all_its_hosts) {
    EXPECT_THAT(queues(parsed({"a-1", "rate=1Mbit/s"})[0]), ElementsAre("a-1 send", "a-1 receive"));
    EXPECT_THAT(queues(parsed({"a", "rate=1Mbit/s"})[0]),
                ElementsAre("a-0 send", "a-0 receive", "a-1 send", "a-1 receive"));
}

TEST(Change, two_names_are_the_paths_from_one_to_the_other) {
    EXPECT_THAT(paths(parsed({"a-0", "a-1", "loss=1%"})[0]), ElementsAre("a-0>a-1"));
    EXPECT_THAT(paths(parsed({"a", "z", "loss=1%"})[0]), ElementsAre("a-0>z", "a-1>z"));
    EXPECT_THAT(paths(parsed({"a", "a", "loss=1%"})[0]), ElementsAre("a-0>a-1", "a-1>a-0"));
    EXPECT_THAT(paths(parsed({"here", "y-0", "loss=1%"})[0]),
                ElementsAre("a-0>y-0", "a-1>y-0", "z>y-0", "x>y-0"));
}

TEST(Change, a_name_is_first_a_hosts_then_a_clusters_then_a_sites) {
    EXPECT_THAT(paths(parsed({"x", "y", "loss=1%"})[0]), ElementsAre("x>y-0"));
    EXPECT_THAT(queues(parsed({"x", "rate=1Mbit/s"})[0]), ElementsAre("x send", "x receive"));
}

TEST(Change, several_are_read_each_with_all_its_quantities) {
    const auto changes = parsed({"here uplink", "rate=8Mbit/s", "cross=4Mbit/s", "loss=0.5%", "a",
                                 "y", "reset", "latency=3ms", "jitter=10us"});
    ASSERT_THAT(changes, SizeIs(2));
    EXPECT_DOUBLE_EQ(changes[0].rate->value, 1e6);
    EXPECT_DOUBLE_EQ(changes[0].cross->value, 5e5);
    EXPECT_DOUBLE_EQ(*changes[0].loss, 0.005);
    EXPECT_FALSE(changes[0].reset);
    EXPECT_TRUE(changes[1].reset);
    EXPECT_DOUBLE_EQ(changes[1].latency->value, 3e-3);
    EXPECT_DOUBLE_EQ(changes[1].jitter->value, 10e-6);
    EXPECT_FALSE(changes[1].loss);
}

struct BadWords {
    std::vector<std::string> words;
    const char* complaint;
};

class BadChange : public ::testing::TestWithParam<BadWords> {};

TEST_P(BadChange, is_refused_in_one_line) {
    try {
        (void)parsed(GetParam().words);
        FAIL() << "it was read";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), GetParam().complaint);
    }
}

INSTANTIATE_TEST_SUITE_P(
    all, BadChange,
    ::testing::Values(
        BadWords{{"nowhere", "rate=1Mbit/s"},
                 "change: no queue, host or cluster is named 'nowhere'"},
        BadWords{{"here", "rate=1Mbit/s"},
                 "change: 'here' has no queue of its own, and a path has two ends"},
        BadWords{{"a", "nowhere", "loss=1%"},
                 "change: no host, cluster or site is named 'nowhere'"},
        BadWords{{"a", "x", "y", "loss=1%"}, "change: no queue, host or cluster is named 'a x y'"},
        BadWords{{"a-0", "a-0", "loss=1%"}, "change: 'a-0' is one host"},
        BadWords{{"rate=1Mbit/s"}, "change: what 'rate=1Mbit/s' is for was expected before it"},
        BadWords{{"a"}, "change: QUANTITY=VALUE or reset was expected after 'a'"},
        BadWords{{"a", "rate=1Mbit/s", "x"},
                 "change: QUANTITY=VALUE or reset was expected after 'x'"},
        BadWords{{"a", "speed=1Mbit/s"},
                 "change: speed=1Mbit/s: 'speed' is not rate, cross, latency, jitter or loss"},
        BadWords{{"a", "latency=1ms"}, "change: latency=1ms: a queue has no latency"},
        BadWords{{"a", "jitter=1ms"}, "change: jitter=1ms: a queue has no jitter"},
        BadWords{{"a", "y", "rate=1Mbit/s"}, "change: rate=1Mbit/s: a path has no rate"},
        BadWords{{"a", "y", "cross=1Mbit/s"}, "change: cross=1Mbit/s: a path has no cross"},
        BadWords{{"a", "rate=1"}, "change: rate=1: '1' is not a rate such as 500kbps or 10MB/s"},
        BadWords{{"a", "rate=0Mbit/s"},
                 "change: rate=0Mbit/s: 0 bytes/s: a frame of 1538 bytes would take over 2 s"},
        BadWords{{"a", "y", "latency=-1ms"},
                 "change: latency=-1ms: '-1ms' is not a time such as 10ms or 2s"},
        BadWords{{"a", "y", "latency=61s"}, "change: latency=61s: more than a minute"},
        BadWords{{"a", "loss=0.1"}, "change: loss=0.1: '0.1' is not a probability such as 0.1%"},
        BadWords{{"a", "loss=101%"},
                 "change: loss=101%: '101%' is not a probability such as 0.1%"}));

TEST(Change, is_applied_and_reset_to_what_was_described) {
    Topology topology = bed();
    EXPECT_THAT(differences(bed(), topology), IsEmpty());
    for (const Change& change : parsed({"here uplink", "rate=8Mbit/s", "cross=4Mbit/s", "a", "y",
                                        "latency=3ms", "jitter=1ms", "a-0", "v", "loss=1%"}))
        apply(change, bed(), topology);
    EXPECT_EQ(differences(bed(), topology),
              "  changed      now                            described\n"
              "  here uplink  rate 8 Mbit/s, cross 4 Mbit/s  rate 80 Mbit/s, cross 0 bit/s\n"
              "  a-0 v-0      loss 1%                        loss 0%\n"
              "  a y          latency 3 ms, jitter 1 ms      latency 5 ms, jitter 0 s\n");
    for (const Change& change : parsed({"a", "y", "reset", "loss=2%"}))
        apply(change, bed(), topology);
    EXPECT_DOUBLE_EQ(topology.paths(0, 4).latency.value, 5e-3);
    EXPECT_DOUBLE_EQ(topology.paths(0, 4).loss, 0.02);
    apply(reset_of(topology), bed(), topology);
    EXPECT_THAT(differences(bed(), topology), IsEmpty());
}

std::string trace_of(const std::string& changes, const std::string& more = "") {
    return fmt::format(R"({{"format":"espalier-testbed-trace","version":1,"changes":[{}]{}}})",
                       changes, more);
}

TEST(Trace, has_its_changes_in_order_of_time) {
    const Trace trace =
        parse_trace(trace_of(R"({"at":"3s","what":["a","y"],"latency":"30ms","jitter":"1ms"},
                    {"at":"2s","what":["here uplink"],"rate":"8Mbit/s"},
                    {"at":"5s","what":["here uplink"],"reset":true})",
                             R"(,"repeat":"10s")"),
                    "file", bed());
    ASSERT_THAT(trace.steps, SizeIs(3));
    EXPECT_EQ(trace.steps[0].at, Seconds(2));
    EXPECT_DOUBLE_EQ(trace.steps[0].change.rate->value, 1e6);
    EXPECT_THAT(paths(trace.steps[1].change), ElementsAre("a-0>y-0", "a-1>y-0"));
    EXPECT_DOUBLE_EQ(trace.steps[1].change.latency->value, 0.03);
    EXPECT_TRUE(trace.steps[2].change.reset);
    EXPECT_EQ(trace.repeat, Seconds(10));
}

TEST(Trace, a_list_of_values_is_one_for_each_slice_of_time) {
    const Trace trace = parse_trace(
        trace_of(R"({"at":"1s","every":"500ms","what":["a","y"],"latency":["3ms","4ms","5ms"],
                     "jitter":"1ms","loss":["1%","0%","2%"]})"),
        "file", bed());
    ASSERT_THAT(trace.steps, SizeIs(3));
    for (std::size_t i = 0; i < 3; ++i) {
        const double number = static_cast<double>(i);
        EXPECT_DOUBLE_EQ(trace.steps[i].at.value, 1 + 0.5 * number);
        EXPECT_DOUBLE_EQ(trace.steps[i].change.latency->value, (3 + number) * 1e-3);
        EXPECT_EQ(trace.steps[i].change.jitter.has_value(), i == 0);
    }
    EXPECT_DOUBLE_EQ(*trace.steps[2].change.loss, 0.02);
}

TEST(Trace, the_example_steps_an_uplink_down_and_back) {
    const Topology topology =
        read_topology(ESPALIER_SOURCE_DIR "/testbed/examples/three-sites.json");
    const std::string file = ESPALIER_SOURCE_DIR "/testbed/examples/uplink-steps.json";
    const Trace trace = read_trace(file, topology);
    ASSERT_THAT(trace.steps, SizeIs(2));
    EXPECT_DOUBLE_EQ(trace.steps[0].change.rate->value, 2.5e6);
    EXPECT_DOUBLE_EQ(trace.steps[1].change.rate->value, 1e7);
}

struct BadText {
    const char* from;
    const char* to;
    const char* complaint;
};

class BadTrace : public ::testing::TestWithParam<BadText> {};

TEST_P(BadTrace, is_refused_in_one_line_that_names_the_field) {
    std::string bad =
        trace_of(R"({"at":"1s","every":"1s","what":["a","y"],"latency":["3ms","4ms"]})",
                 R"(,"repeat":"3s")");
    const std::string from = GetParam().from;
    const std::size_t place = bad.find(from);
    ASSERT_NE(place, std::string::npos);
    bad.replace(place, from.size(), GetParam().to);
    try {
        (void)parse_trace(bad, "file", bed());
        FAIL() << "it was read";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), GetParam().complaint);
    }
}

INSTANTIATE_TEST_SUITE_P(
    all, BadTrace,
    ::testing::Values(
        BadText{"testbed-trace", "testbed",
                "file: format: 'espalier-testbed-trace' was expected, not 'espalier-testbed'"},
        BadText{"\"at\":\"1s\",", "", "file: changes[0].at: is missing"},
        BadText{"\"1s\"", "\"-1s\"", "file: changes[0].at: '-1s' is not a time such as 10ms or 2s"},
        BadText{"\"every\":\"1s\",", "",
                "file: changes[0]: every is missing: there are several values"},
        BadText{"\"a\"", "\"nobody\"",
                "file: changes[0].what: no host, cluster or site is named 'nobody'"},
        BadText{"\"4ms\"", "\"4m\"",
                "file: changes[0].latency[1]: '4m' is not a time such as 10ms or 2s"},
        BadText{"latency", "rate", "file: changes[0].rate[0]: a path has no rate"},
        BadText{"latency", "delay", "file: changes[0].delay: unknown field"},
        BadText{"\"latency\":[\"3ms\",\"4ms\"]", "\"reset\":false",
                "file: changes[0]: it changes nothing"},
        BadText{"\"4ms\"]", "\"4ms\"],\"loss\":[\"1%\",\"2%\",\"3%\"]",
                "file: changes[0].loss: as many values as of the other quantities were expected"},
        BadText{"\"3s\"", "\"2s\"",
                "file: repeat: a time after the last change, and at least 1 ms, was expected"}));

}  // namespace
}  // namespace espalier::testbed
