#include "report/ring_svg.hpp"

#include "report/graph_layout.hpp"
#include "report/ring_picture.hpp"
#include "report/ring_text.hpp"
#include "report/svg_reader.hpp"
#include "simulate/check_ring.hpp"
#include "support/toy_ring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace espalier::report {
namespace {

using espalier::test::toy_platform;
using network::LinksNetwork;
using test::Element;
using test::XmlReader;

schedule::Ring toy() {
    return simulate::check_ring(espalier::test::toy_ring(), toy_platform()).ring;
}

Element drawn(const schedule::Ring& ring, const LinksNetwork& network) {
    return XmlReader::read(ring_svg(ring, network));
}

std::vector<std::string> texts_of(const Element& picture, const std::string& name) {
    std::vector<std::string> out;
    for (const Element& element : picture.of_class(name)) out.push_back(element.text);
    return out;
}

TEST(RingText, says_how_far_a_ring_is_from_the_best) {
    schedule::Ring ring = toy();
    EXPECT_EQ(title_of(ring, toy_platform()), "Ring of 5 of 7 hosts");
    EXPECT_THAT(subtitle_of(ring), ::testing::HasSubstr("step time 50.292, at most 410% over"));
    ring.optimal = true;
    ring.scope = "widest-paths";
    EXPECT_EQ(distance_from_best(ring), "proven optimal over all rings with widest paths");
}

TEST(RingText, links_are_used_by_what_their_paths_reserve) {
    LinksNetwork network = toy_platform();
    const schedule::Ring ring = toy();
    std::vector<LinkUse> uses = link_use(ring, network);
    EXPECT_EQ(uses[1].paths, 4U);                                 // b
    EXPECT_NEAR(uses[1].part, (2 + 2 + 2 + 4.0 / 3) / 8, 1e-12);  // b
    EXPECT_NEAR(uses[2].part, 3.0 / 5, 1e-12);                    // c
    network.links[1].kind = LinksNetwork::Kind::backbone;
    EXPECT_NEAR(link_use(ring, network)[1].part, 2.0 / 8, 1e-12);
}

TEST(RingSvg, shares_are_areas_and_hosts_have_their_places) {
    const schedule::Ring ring = toy();
    const Element picture = drawn(ring, toy_platform());
    const auto hosts = picture.of_class("host");
    ASSERT_EQ(hosts.size(), 5U);
    EXPECT_EQ(picture.of_class("host idle").size(), 2U);
    for (std::size_t i = 1; i < hosts.size(); ++i)
        EXPECT_NEAR(std::pow(hosts[i].number("r") / hosts[0].number("r"), 2),
                    ring.shares[i] / ring.shares[0], 0.01);
    EXPECT_THAT(texts_of(picture, "name"),
                ::testing::UnorderedElementsAre("P1", "P2", "P3", "P4", "P5", "Q", "R"));
    std::vector<std::string> places = texts_of(picture, "place");
    for (std::string& place : places) place.erase(place.find_last_not_of(' ') + 1);
    EXPECT_THAT(places, ::testing::UnorderedElementsAre("1", "2", "3", "4", "5"));
}

TEST(RingSvg, each_path_is_drawn_once_and_those_that_differ_backwards_too) {
    const Element picture = drawn(toy(), toy_platform());
    EXPECT_EQ(picture.of_class("path").size(), 5U);
    // From P2 to P1 and from P3 to P2: all others go back as they came.
    EXPECT_EQ(picture.of_class("path back").size(), 2U);
    EXPECT_EQ(picture.of_class("link used").size(), 8U);
}

TEST(RingSvg, a_links_colour_tells_its_use) {
    LinksNetwork network = toy_platform();
    network.links.push_back({"z", LinksNetwork::Ends{0, 6}, BytesPerSecond(5), Seconds(0),
                             LinksNetwork::Kind::bidirectional});
    const Element picture = drawn(toy(), network);
    ASSERT_EQ(picture.of_class("link").size(), 1U);
    std::set<std::string> colours;
    for (const Element& link : picture.of_class("link used")) {
        colours.insert(link.get("stroke"));
        EXPECT_NE(link.get("stroke"), picture.of_class("link")[0].get("stroke"));
    }
    // In use by 2/6, 22/24, 3/5, 1, 1, 7/10, 16/21 and 1: five that differ, and three full ones.
    EXPECT_EQ(colours.size(), 6U);
}

TEST(RingSvg, names_of_any_letters_come_through) {
    LinksNetwork network = toy_platform();
    network.nodes[0].name = R"(<P> & "1")";
    network.links[0].name = "<a>";
    const Element picture = drawn(toy(), network);
    EXPECT_THAT(texts_of(picture, "name"), ::testing::Contains(R"(<P> & "1")"));
}

TEST(RingSvg, a_host_alone_needs_no_links) {
    LinksNetwork network;
    network.nodes = {{"x", 2.0, 0}};
    schedule::Ring ring;
    ring.work = 1;
    ring.exchange = 1;
    ring.order = {0};
    ring.shares = {1};
    ring.step_time = 2;
    EXPECT_EQ(drawn(ring, network).of_class("host").size(), 1U);
}

TEST(RingSvg, links_without_ends_stand_on_the_way) {
    LinksNetwork network;
    network.nodes = {{"x", 1.0, 0}, {"y", 1.0, 0}};
    network.links = {{"up", std::nullopt, BytesPerSecond(4), Seconds(0)},
                     {"down", std::nullopt, BytesPerSecond(4), Seconds(0)}};
    network.routes = {{0, 1, {0, 1}}, {1, 0, {1, 0}}};
    schedule::Ring ring;
    ring.work = 1;
    ring.exchange = 1;
    ring.order = {0, 1};
    ring.shares = {0.5, 0.5};
    ring.paths = {{0, 1, {0, 1}, 1}, {0, 1, {0, 1}, 1}, {1, 0, {1, 0}, 1}, {1, 0, {1, 0}, 1}};
    ring.step_time = 2.5;
    const RingPicture picture = picture_of(ring, network);
    EXPECT_EQ(picture.vertices.size(), 4U);
    EXPECT_EQ(picture.edges.size(), 3U);
    EXPECT_EQ(drawn(ring, network).of_class("endless link").size(), 2U);
}

TEST(RingPicture, nothing_lies_on_top_of_another_or_off_the_page) {
    const RingPicture picture = picture_of(toy(), toy_platform());
    for (std::size_t v = 0; v < picture.vertices.size(); ++v) {
        const auto& here = picture.vertices[v];
        EXPECT_GT(here.at.x - here.radius, 0);
        EXPECT_GT(here.at.y - here.radius, 0);
        EXPECT_LT(here.at.x + here.radius, picture.width);
        EXPECT_LT(here.at.y + here.radius, picture.height);
        for (std::size_t u = 0; u < v; ++u) {
            const auto& other = picture.vertices[u];
            EXPECT_GT(std::hypot(here.at.x - other.at.x, here.at.y - other.at.y),
                      here.radius + other.radius);
        }
    }
}

TEST(RingPicture, paths_along_one_link_have_lanes_of_their_own) {
    const RingPicture picture = picture_of(toy(), toy_platform());
    std::set<std::pair<std::size_t, long>> lanes;
    std::size_t steps = 0;
    for (const auto& strand : picture.strands)
        for (const auto& step : strand.steps) {
            lanes.emplace(step.edge, std::lround(100 * step.lane));
            ++steps;
        }
    EXPECT_EQ(lanes.size(), steps);
}

TEST(RingPicture, of_a_complete_graph_only_what_is_used_is_drawn) {
    LinksNetwork network;
    constexpr std::size_t hosts = 12;
    for (std::size_t i = 0; i < hosts; ++i)
        network.nodes.push_back({"h" + std::to_string(i), 1.0, 0});
    schedule::Ring ring;
    ring.work = ring.exchange = ring.step_time = 1;
    const auto join = [&](std::size_t from, std::size_t to) {
        network.links.push_back({std::to_string(from) + "-" + std::to_string(to),
                                 LinksNetwork::Ends{from, to}, BytesPerSecond(1), Seconds(0),
                                 LinksNetwork::Kind::directed});
        return network.links.size() - 1;
    };
    for (std::size_t i = 0; i < hosts; ++i) {
        ring.order.push_back(i);
        ring.shares.push_back(1.0 / hosts);
        for (const std::size_t to : {(i + 1) % hosts, (i + hosts - 1) % hosts})
            ring.paths.push_back({i, to, {join(i, to)}, 1});
    }
    for (std::size_t i = 0; i < hosts; ++i)
        for (std::size_t j = 0; j < hosts; ++j)
            if (j != i && j != (i + 1) % hosts && i != (j + 1) % hosts) (void)join(i, j);
    const RingPicture picture = picture_of(ring, network);
    EXPECT_EQ(picture.edges.size(), 2 * hosts);
    EXPECT_EQ(picture.links_omitted, hosts * (hosts - 3));
    // In the order of the ring, around it.
    for (std::size_t i = 2; i < hosts; ++i) {
        const auto distance = [&](std::size_t to) {
            const Point a = picture.vertices[0].at;
            const Point b = picture.vertices[to].at;
            return std::hypot(a.x - b.x, a.y - b.y);
        };
        EXPECT_LT(distance(1), distance(i) + 1e-6);
    }
}

TEST(GraphLayout, a_path_is_drawn_straight_and_across) {
    const std::vector<Point> points = layout({5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}});
    ASSERT_EQ(points.size(), 5U);
    const double whole = std::abs(points[4].x - points[0].x);
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_LT(std::abs(points[i].y - points[0].y), 0.05 * whole);
    for (std::size_t i = 1; i + 1 < 5; ++i)
        EXPECT_GT((points[i].x - points[i - 1].x) * (points[i + 1].x - points[i].x), 0);
}

TEST(GraphLayout, distances_in_the_plane_are_like_those_in_the_graph) {
    // A cycle of 8: vertices further along it are further apart.
    LayoutGraph cycle{8, {}};
    for (std::size_t i = 0; i < 8; ++i) cycle.edges.push_back({i, (i + 1) % 8});
    const std::vector<Point> points = layout(cycle);
    const auto apart = [&](std::size_t a, std::size_t b) {
        return std::hypot(points[a].x - points[b].x, points[a].y - points[b].y);
    };
    for (std::size_t i = 1; i < 4; ++i) EXPECT_LT(apart(0, i), apart(0, i + 1));
}

TEST(GraphLayout, takes_graphs_in_parts_and_without_edges) {
    for (const auto& graph : {LayoutGraph{0, {}}, LayoutGraph{1, {}}, LayoutGraph{3, {}},
                              LayoutGraph{4, {{0, 1}, {2, 3}}}}) {
        std::vector<Point> points = layout(graph);
        ASSERT_EQ(points.size(), graph.vertices);
        separate(points, std::vector<double>(points.size(), 0.1));
        for (std::size_t v = 0; v < points.size(); ++v)
            for (std::size_t u = 0; u < v; ++u)
                EXPECT_GT(std::hypot(points[v].x - points[u].x, points[v].y - points[u].y), 0.19);
    }
}

}  // namespace
}  // namespace espalier::report
