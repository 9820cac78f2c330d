#include "importers/graphml.hpp"
#include "core/error.hpp"
#include "network/convert.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <string>

namespace espalier::importers {
namespace {

using network::LinksNetwork;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The keys that the Internet Topology Zoo defines, as far as they matter; each on its own line.
std::string with_keys(const std::string& graph) {
    return R"(<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="lat" for="node" attr.name="Latitude" attr.type="double"/>
<key id="lon" for="node" attr.name="Longitude" attr.type="double"/>
<key id="name" for="node" attr.name="label" attr.type="string"/>
<key id="in" for="node" attr.name="Internal" attr.type="int"/>
<key id="hyper" for="node" attr.name="hyperedge" attr.type="int"><default>0</default></key>
<key id="raw" for="edge" attr.name="LinkSpeedRaw" attr.type="double"/>
<key id="speed" for="edge" attr.name="LinkSpeed" attr.type="string"/>
<key id="units" for="edge" attr.name="LinkSpeedUnits" attr.type="string"/>
)" + graph +
           "\n</graphml>\n";
}

std::string data(const std::map<std::string, std::string>& values) {
    std::string text;
    for (const auto& [key, value] : values)
        text += fmt::format(R"(<data key="{}">{}</data>)", key, value);
    return text;
}

std::string node(const std::string& id, const std::map<std::string, std::string>& values = {}) {
    return "<node id=\"" + id + "\">" + data(values) + "</node>\n";
}

std::string edge(const std::string& from, const std::string& to,
                 const std::map<std::string, std::string>& values = {}) {
    return "<edge source=\"" + from + "\" target=\"" + to + "\">" + data(values) + "</edge>\n";
}

std::string graph(const std::string& content) {
    return with_keys("<graph edgedefault=\"undirected\">\n" + content + "</graph>");
}

Imported read(const std::string& text, const GraphmlOptions& options = {}) {
    return read_graphml(XmlFile("net.graphml", text), options);
}

std::string fault_of(const std::string& text) {
    try {
        (void)read(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

const std::map<std::string, std::string> paris{
    {"name", "Paris"}, {"lat", "48.8566"}, {"lon", "2.3522"}};
const std::map<std::string, std::string> london{
    {"name", "London"}, {"lat", "51.5074"}, {"lon", "-0.1278"}};

std::vector<std::string> names(const LinksNetwork& network) {
    std::vector<std::string> found;
    for (const auto& each : network.nodes) found.push_back(each.name);
    return found;
}

TEST(Graphml, nodes_are_hosts_and_edges_links_with_the_latency_of_light_in_fibre) {
    const Imported imported = read(
        graph(node("0", paris) + node("1", london) + edge("0", "1", {{"raw", "2500000000.0"}})));
    EXPECT_THAT(imported.warnings, IsEmpty());
    const LinksNetwork& network = imported.network;
    EXPECT_THAT(names(network), ElementsAre("Paris", "London"));
    EXPECT_EQ(network.nodes[0].cycle_time, 1);
    ASSERT_EQ(network.links.size(), 1U);
    const auto& link = network.links[0];
    EXPECT_EQ(link.name, "Paris - London");
    EXPECT_EQ(link.kind, LinksNetwork::Kind::bidirectional);
    EXPECT_DOUBLE_EQ(link.bandwidth.value, 312.5e6);
    // 343.6 km, as published for these two places; light in fibre takes 5.0035 us a km.
    EXPECT_NEAR(link.latency.value, 343.6 * 5.0035e-6, 2e-6);
    EXPECT_NO_THROW(network::Network{network});
}

TEST(Graphml, distances_are_right_for_opposite_near_and_polar_places) {
    constexpr double round_the_earth = 2 * 3.14159265358979323846 * 6371e3;
    EXPECT_NEAR(great_circle(0, 0, 0, 180), round_the_earth / 2, 1);
    EXPECT_NEAR(great_circle(0, 10, 0, 11), round_the_earth / 360, 1);
    EXPECT_NEAR(great_circle(0, 179.5, 0, -179.5), round_the_earth / 360, 1)
        << "across the date line";
    EXPECT_NEAR(great_circle(90, 0, -90, 77), round_the_earth / 2, 1);
    EXPECT_NEAR(great_circle(45, 7, 45.00001, 7), round_the_earth / 360 * 1e-5, 1e-3);
    EXPECT_EQ(great_circle(12, 34, 12, 34), 0);
}

TEST(Graphml, speeds_come_raw_or_with_a_unit_and_else_from_the_option) {
    const Imported imported =
        read(graph(node("0", paris) + node("1", london) +
                   edge("0", "1", {{"raw", "8e6"}, {"speed", "3"}, {"units", "G"}}) +
                   edge("0", "1", {{"speed", "2.5"}, {"units", "G"}}) +
                   edge("0", "1", {{"speed", "155"}, {"units", "Mbps"}}) +
                   edge("1", "0", {{"speed", "155"}}) + edge("1", "0")),
             {.speed = BytesPerSecond(7)});
    std::vector<double> speeds;
    for (const auto& link : imported.network.links) speeds.push_back(link.bandwidth.value);
    EXPECT_THAT(speeds, ElementsAre(1e6, 2.5e9 / 8, 155e6 / 8, 7, 7));
    EXPECT_THAT(imported.warnings, ElementsAre("2 of 5 links state no speed: 5.6e-08 Gbit/s each"));
    EXPECT_EQ(imported.network.links[1].name, "Paris - London#2") << "parallel links stay";
}

TEST(Graphml, external_nodes_and_hyperedges_are_routers) {
    const std::string text = graph(node("0", {{"in", "1"}}) + node("1", {{"in", "0"}}) +
                                   node("2", {{"hyper", "1"}}) + edge("0", "1") + edge("1", "2"));
    const LinksNetwork network = read(text, {.cycle_time = 2.5}).network;
    EXPECT_EQ(network.nodes[0].cycle_time, 2.5);
    EXPECT_FALSE(network.nodes[1].cycle_time);
    EXPECT_FALSE(network.nodes[2].cycle_time);
    EXPECT_TRUE(read(text, {.cycle_time = std::nullopt}).network.hosts().empty());
}

TEST(Graphml, without_coordinates_a_link_has_the_latency_of_the_option) {
    const Imported imported =
        read(graph(node("0", paris) + node("1", {{"lat", "1"}}) + edge("0", "1", {{"raw", "1"}})),
             {.latency = Seconds(0.25)});
    EXPECT_EQ(imported.network.links[0].latency, Seconds(0.25));
    EXPECT_THAT(imported.warnings,
                ElementsAre("1 of 1 links have an end without coordinates: 250 ms each"));
}

TEST(Graphml, labels_are_made_unique_and_empty_ones_come_from_the_id) {
    const LinksNetwork network =
        read(graph(node("a", {{"name", "Rome"}}) + node("b", {{"name", " Rome "}}) + node("c") +
                   node("d", {{"name", ""}}) + node("e", {{"name", "Rome#2"}}) + edge("a", "b") +
                   edge("b", "c") + edge("c", "d") + edge("d", "e")))
            .network;
    EXPECT_THAT(names(network), ElementsAre("Rome", "Rome#2", "node-c", "node-d", "Rome#2#2"));
}

TEST(Graphml, loops_and_lonely_nodes_are_left_out_with_a_warning) {
    const Imported imported = read(
        graph(node("0", {{"name", "alone"}}) + node("1", {{"name", "loop"}}) + node("2", paris) +
              node("3", london) + edge("1", "1", {{"raw", "1"}}) + edge("3", "2", {{"raw", "1"}})));
    EXPECT_THAT(names(imported.network), ElementsAre("Paris", "London")) << "in the file's order";
    EXPECT_EQ(imported.network.links.size(), 1U);
    EXPECT_THAT(imported.warnings, ElementsAre("edges from a node to itself (here 1) are left out",
                                               "nodes without links are left out: alone, loop"));
}

TEST(Graphml, directed_edges_are_directed_links) {
    const LinksNetwork network =
        read(with_keys("<graph edgedefault=\"directed\">" + node("0") + node("1") + edge("0", "1") +
                       "<edge source=\"1\" target=\"0\" directed=\"false\"/></graph>"))
            .network;
    EXPECT_EQ(network.links[0].kind, LinksNetwork::Kind::directed);
    EXPECT_EQ(network.links[1].kind, LinksNetwork::Kind::bidirectional);
}

TEST(Graphml, complains_with_file_line_and_reason) {
    // The graph begins on line 11, its first child stands on line 12.
    const std::string two = node("0") + node("1");
    EXPECT_EQ(fault_of("<platform/>"), "net.graphml: line 1: the root element is not graphml");
    EXPECT_THAT(fault_of("<graphml>\n<graph>"), HasSubstr("net.graphml: line 2: "));
    EXPECT_THAT(fault_of(""), HasSubstr("net.graphml: line 1: "));
    EXPECT_EQ(fault_of(with_keys("")), "net.graphml: line 2: there is no graph in it");
    EXPECT_EQ(fault_of(with_keys("<graph/>")), "net.graphml: line 11: a graph without edgedefault");
    EXPECT_THAT(fault_of(with_keys("<graph edgedefault=\"both\"/>")),
                HasSubstr("line 11: edgedefault is 'both'"));
    EXPECT_EQ(fault_of(graph("")), "net.graphml: line 11: no edge joins two nodes of the graph");
    EXPECT_EQ(fault_of(graph(node("0") + node("0"))),
              "net.graphml: line 13: the id '0' is used twice");
    EXPECT_EQ(fault_of(graph("<node/>")), "net.graphml: line 12: a node without id");
    EXPECT_EQ(fault_of(graph(two + edge("0", "9"))),
              "net.graphml: line 14: target: no node has the id '9'");
    EXPECT_EQ(fault_of(graph(two + "<edge target=\"1\"/>")),
              "net.graphml: line 14: a edge without source");
    EXPECT_EQ(fault_of(graph(two + edge("0", "1", {{"raw", "fast"}}))),
              "net.graphml: line 14: LinkSpeedRaw: 'fast' is not a number");
    EXPECT_EQ(fault_of(graph(two + edge("0", "1", {{"raw", "inf"}}))),
              "net.graphml: line 14: LinkSpeedRaw: 'inf' is not a number");
    EXPECT_EQ(fault_of(graph(two + edge("0", "1", {{"raw", "0"}}))),
              "net.graphml: line 14: LinkSpeedRaw: it must be positive");
    EXPECT_EQ(fault_of(graph(two + edge("0", "1", {{"speed", "1"}, {"units", "X"}}))),
              "net.graphml: line 14: LinkSpeedUnits: 'X' is not K, M, G or T");
    EXPECT_EQ(fault_of(graph(node("0", {{"lat", "91"}}))),
              "net.graphml: line 12: Latitude: 91 is not from -90 to 90");
    EXPECT_EQ(fault_of(graph(node("0", {{"what", "1"}}))),
              "net.graphml: line 12: no key 'what' is defined");
    EXPECT_THAT(fault_of(graph("<node id=\"0\"><graph/></node>")),
                HasSubstr("line 12: a graph in a node is not supported"));
    EXPECT_THAT(fault_of(graph("<hyperedge/>")), HasSubstr("line 12: hyperedge elements"));
    EXPECT_THAT(fault_of(with_keys("<graph edgedefault=\"directed\"/>\n<graph/>")),
                HasSubstr("line 12: one more graph"));
}

/// Files of the Internet Topology Zoo, where somebody has put them.
TEST(Graphml, files_of_the_topology_zoo_are_networks_that_are_connected) {
    const std::filesystem::path folder =
        std::filesystem::path(ESPALIER_SOURCE_DIR) / ".." / "shared" / "data" / "topologyzoo";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no files in " << folder;
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".graphml") continue;
        ++files;
        const LinksNetwork network = read_graphml(XmlFile(entry.path().string())).network;
        SCOPED_TRACE(entry.path().filename().string());
        EXPECT_NO_THROW(network::Network{network});
        EXPECT_GT(network.hosts().size(), 5U);
        EXPECT_GE(network.links.size() + 1, network.nodes.size());
        for (const auto& link : network.links) EXPECT_LT(link.latency.value, 0.1);
        EXPECT_NO_THROW((void)to_pairwise(network));
    }
    EXPECT_GT(files, 0U);
}

}  // namespace
}  // namespace espalier::importers
