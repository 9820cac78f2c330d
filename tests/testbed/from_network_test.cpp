#include "testbed/from_network.hpp"

#include "core/error.hpp"
#include "testbed/read_topology.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace espalier::testbed {
namespace {

using ::testing::ElementsAre;

/// On the wire, for what a program gets.
constexpr double wire = 1538.0 / 1448.0;

/// What a frame passes: names of queues; the latency in microseconds.
std::vector<std::string> path(const Topology& topology, std::size_t from, std::size_t to) {
    std::vector<std::string> names;
    const Path& path = topology.paths(from, to);
    for (const auto queue : path.before) names.push_back(topology.queues[queue].name);
    names.push_back(std::to_string(std::lround(path.latency.value * 1e6)));
    for (const auto queue : path.after) names.push_back(topology.queues[queue].name);
    return names;
}

double rate(const Topology& topology, const std::string& name) {
    for (const Queue& queue : topology.queues)
        if (queue.name == name) return queue.rate.value;
    ADD_FAILURE() << "no queue " << name;
    return 0;
}

std::vector<std::string> names(const Topology& topology) {
    std::vector<std::string> names;
    for (const Host& host : topology.hosts) names.push_back(host.name);
    return names;
}

std::string complaint(const std::string& text) {
    try {
        static_cast<void>(parse_topology(text, "file"));
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

constexpr auto grid = R"({"format":"espalier-network","version":1,"model":"grid",
 "clusters":[{"name":"a","nodes":["a:1","a:2"],"local":{"latency_s":50e-6,
                "gap_s":{"0":10e-6,"1000000":0.02001}}},
             {"name":"b","size":1},{"name":"c","size":1}],
 "latency_s":[[0,0.005,0.002],[0.006,0,0.001],[0.002,0.001,0]],
 "gap_s":[[0,{"0":0,"1000000":0.1},{"0":0,"1000000":0.02}],
          [{"0":0,"1000000":0.2},0,{"0":0,"1000000":0.05}],
          [{"1000":0.002,"1001000":0.022},{"0":0,"1000000":0.05},0]],
 "shared":[{"name":"up","capacity_Bps":30e6,"pairs":[["a","b"],["a","c"]]}]})";

TEST(FromNetwork, a_grid_gives_the_slope_of_its_gaps_as_rates) {
    const Topology topology = parse_topology(grid, "file");
    EXPECT_THAT(names(topology), ElementsAre("a-1", "a-2", "b-0", "c-0"));
    EXPECT_DOUBLE_EQ(rate(topology, "a-1 send"), 50e6 * wire);
    EXPECT_DOUBLE_EQ(rate(topology, "b-0 send"), 20e6 * wire);
    EXPECT_DOUBLE_EQ(rate(topology, "c-0 receive"), 50e6 * wire);
    EXPECT_DOUBLE_EQ(rate(topology, "b-0 receive"), 20e6 * wire);
    EXPECT_DOUBLE_EQ(rate(topology, "up"), 30e6 * wire);
}

TEST(FromNetwork, a_grid_gives_latencies_with_what_a_message_of_no_bytes_takes) {
    const Topology topology = parse_topology(grid, "file");
    EXPECT_THAT(path(topology, 0, 1), ElementsAre("a-1 send", "60", "a-2 receive"));
    // 2 ms at 1000 bytes, of which 20 us are for them.
    EXPECT_THAT(path(topology, 3, 1), ElementsAre("c-0 send", "3980", "a-2 receive"));
}

TEST(FromNetwork, slow_pairs_of_a_grid_have_a_queue_each_and_shared_ones_one_for_all) {
    const Topology topology = parse_topology(grid, "file");
    EXPECT_THAT(path(topology, 0, 2),
                ElementsAre("a-1 send", "up", "a-1 -> b-0", "5000", "b-0 receive"));
    EXPECT_THAT(path(topology, 1, 2),
                ElementsAre("a-2 send", "up", "a-2 -> b-0", "5000", "b-0 receive"));
    EXPECT_THAT(path(topology, 0, 3), ElementsAre("a-1 send", "up", "2000", "c-0 receive"));
    EXPECT_DOUBLE_EQ(rate(topology, "a-1 -> b-0"), 10e6 * wire);
}

TEST(FromNetwork, pairs_that_are_as_slow_as_what_they_share_have_no_queue_of_their_own) {
    std::string text = grid;
    text.replace(text.find("30e6"), 4, "10e6");
    EXPECT_THAT(path(parse_topology(text, "file"), 0, 2),
                ElementsAre("a-1 send", "up", "5000", "b-0 receive"));
}

TEST(FromNetwork, levels_of_a_grid_are_sites) {
    const Topology topology = parse_topology(
        R"({"format":"espalier-network","version":1,"model":"grid",
  "clusters":[{"name":"s","grid":{"clusters":[{"name":"x","size":1},{"name":"y","size":1}],
     "latency_s":[[0,1e-3],[1e-3,0]],"gap_s":[[0,{"0":0,"1000":1e-4}],[{"0":0,"1000":1e-4},0]]}},
   {"name":"t","size":1}],
  "latency_s":[[0,0.1],[0.1,0]],"gap_s":[[0,{"0":0,"1000":1e-3}],[{"0":0,"1000":1e-3},0]]})",
        "file");
    ASSERT_EQ(topology.hosts.size(), 3U);
    EXPECT_EQ(topology.hosts[1].cluster, "y");
    EXPECT_EQ(topology.hosts[1].site, "s");
    EXPECT_EQ(topology.hosts[2].site, "");
    EXPECT_THAT(path(topology, 0, 1), ElementsAre("x-0 send", "1000", "y-0 receive"));
}

TEST(FromNetwork, pairs_have_their_bandwidth_and_nodes_what_they_can_send_and_receive) {
    const Topology topology = parse_topology(
        R"({"format":"espalier-network","version":1,"model":"pairwise",
  "nodes":[{"name":"aws:us-east-1"},{"name":"aws us east 1"},{"name":"c"}],
  "startup_s":[[0,0.01,0.02],[0.03,0,0.04],[0.05,0.06,0]],
  "bandwidth_Bps":[[0,1e6,2e6],[3e6,0,4e6],[5e6,6e6,0]],
  "egress_Bps":[15e5,9e6,9e6],"ingress_Bps":[9e6,9e6,35e5]})",
        "file");
    EXPECT_THAT(names(topology), ElementsAre("aws-us-east-1", "aws-us-east-1-2", "c"));
    EXPECT_DOUBLE_EQ(rate(topology, "aws-us-east-1 send"), 15e5 * wire);
    EXPECT_DOUBLE_EQ(rate(topology, "c receive"), 35e5 * wire);
    EXPECT_THAT(path(topology, 0, 1),
                ElementsAre("aws-us-east-1 send", "aws-us-east-1 -> aws-us-east-1-2", "10000",
                            "aws-us-east-1-2 receive"));
    EXPECT_THAT(path(topology, 0, 2), ElementsAre("aws-us-east-1 send", "20000", "c receive"));
}

TEST(FromNetwork, nodes_without_caps_send_as_fast_as_their_fastest_pair) {
    const Topology topology = parse_topology(
        R"({"format":"espalier-network","version":1,"model":"pairwise",
  "nodes":[{"name":"a"},{"name":"b"},{"name":"c"}],
  "startup_s":[[0,0.01,0.02],[0.03,0,0.04],[0.05,0.06,0]],
  "bandwidth_Bps":[[0,1e6,2e6],[3e6,0,4e6],[5e6,6e6,0]]})",
        "file");
    EXPECT_DOUBLE_EQ(rate(topology, "a send"), 2e6 * wire);
    EXPECT_DOUBLE_EQ(rate(topology, "a receive"), 5e6 * wire);
}

constexpr auto links = R"({"format":"espalier-network","version":1,"model":"links",
 "nodes":[{"name":"P","cycle_time":1,"startup_s":0.001},{"name":"r"},{"name":"Q","cycle_time":1},
          {"name":"R","cycle_time":1}],
 "links":[{"name":"l","from":"P","to":"r","bandwidth":1e6,"latency":0.002,"kind":"bidirectional"},
          {"name":"core","from":"r","to":"Q","bandwidth":5e6,"latency":0.01,"kind":"backbone"},
          {"name":"out","from":"r","to":"R","bandwidth":1e6,"latency":0.03,"kind":"directed"},
          {"name":"in","from":"R","to":"r","bandwidth":2e6,"latency":0.04,"kind":"directed"}]})";

TEST(FromNetwork, links_are_crossed_along_the_shortest_path) {
    const Topology topology = parse_topology(links, "file");
    EXPECT_THAT(path(topology, 0, 1), ElementsAre("l", "core: P -> Q", "13000"));
    EXPECT_THAT(path(topology, 1, 0), ElementsAre("core: Q -> P", "l", "13000"));
    EXPECT_THAT(path(topology, 0, 2), ElementsAre("l", "out", "33000"));
    EXPECT_THAT(path(topology, 2, 0), ElementsAre("in", "l", "43000"));
    EXPECT_EQ(topology.paths(0, 1).before[0], topology.paths(1, 0).before[1]);
    EXPECT_EQ(topology.paths(0, 1).before[0], topology.paths(0, 2).before[0]);
    EXPECT_DOUBLE_EQ(rate(topology, "core: P -> Q"), 5e6 * wire);
}

TEST(FromNetwork, what_a_network_does_not_say_is_named) {
    EXPECT_EQ(complaint(R"({"format":"espalier-network","version":1,"model":"sender",
 "nodes":[{"name":"a","transmission_time":10}]})"),
              "file: model: 'sender' says nothing of latencies and rates; grid, pairwise or links "
              "was expected");
    std::string text = grid;
    text.replace(text.find("[0.006,0"), 8, "[null,0");
    EXPECT_EQ(complaint(text), "file: 'b' to 'a': latency or gap is not known");
    text = grid;
    text.replace(text.find("{\"0\":0,\"1000000\":0.1}"), 21, "0.3");
    EXPECT_EQ(complaint(text),
              "file: 'a' to 'b': its gap does not grow with the size, so that there is no rate");
    text = grid;
    text.replace(text.find("\"size\":1"), 8, "\"size\":2,\"broadcast_s\":1");
    EXPECT_EQ(complaint(text),
              "file: cluster 'b': local is needed: latency and gap between its hosts");
    text = grid;
    text.replace(text.find("\"size\":1"), 8, "\"size\":100000,\"broadcast_s\":1");
    EXPECT_EQ(complaint(text), "file: a testbed has at most 1000 hosts");
    text = links;
    text.replace(text.find("5e6"), 3, "500");
    EXPECT_EQ(complaint(text),
              "file: core: P -> Q: 531.1 bytes/s: a frame of 1538 bytes would take "
              "over 2 s");
    text = links;
    text.replace(text.find("{\"name\":\"in\",\"from\":\"R\",\"to\":\"r\""), 32,
                 "{\"name\":\"in\",\"from\":\"r\",\"to\":\"R\"");
    EXPECT_EQ(complaint(text), "file: links: no path leads from 'R' to 'P'");
}

}  // namespace
}  // namespace espalier::testbed
