#include "report/network_svg.hpp"

#include "network/json.hpp"
#include "report/svg_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace espalier::report {
namespace {

using test::Element;
using test::XmlReader;

/// Three clusters, the third ten times as far away as the others are from each other; the first has
/// an uplink and shares another capacity with the second.
overview::Overview example() {
    return overview::overview_of(network::parse_network(R"({"format":"espalier-network","version":1,
 "model":"grid",
 "clusters":[{"name":"<a>","size":4,"local":{"latency_s":5e-5,"gap_s":{"1":0,"1000000":0.01}}},
             {"name":"b","size":2,"local":{"latency_s":5e-5,"gap_s":{"1":0,"1000000":0.01}}},{"name":"c","size":1}],
 "latency_s":[[0,0.01,0.1],[0.01,0,0.1],[0.1,0.1,0]],
 "gap_s":[[0,{"1":0,"1000000":1},{"1":0,"1000000":1}],
          [{"1":0,"1000000":1},0,{"1":0,"1000000":0.1}],
          [{"1":0,"1000000":1},{"1":0,"1000000":1},0]],
 "shared":[{"name":"up","capacity_Bps":1e6,"pairs":[["<a>","b"],["<a>","c"]]},
           {"name":"both","capacity_Bps":2e6,"pairs":[["<a>","c"],["b","c"]]},
           {"name":"pair","capacity_Bps":2e6,"pairs":[["b","c"]]},
           {"name":"site","capacity_Bps":3e6,"pairs":[["<a>","c"],["b","c"],["c","b"],["c","<a>"]]}]})",
                                                        "test.json"));
}

std::vector<Element> of_tag(const Element& root, const std::string& tag) {
    std::vector<Element> found;
    root.each([&](const Element& element) {
        if (element.tag == tag) found.push_back(element);
    });
    return found;
}

TEST(NetworkSvg, clusters_are_the_farther_apart_the_longer_their_latency) {
    const Element root = XmlReader::read(network_svg(example()));
    const auto discs = of_tag(root.of_class("spots").at(0), "circle");
    ASSERT_EQ(discs.size(), 3U);
    const auto apart = [&](std::size_t i, std::size_t j) {
        return std::hypot(discs[i].number("cx") - discs[j].number("cx"),
                          discs[i].number("cy") - discs[j].number("cy"));
    };
    EXPECT_GT(apart(0, 2), 2 * apart(0, 1));
    EXPECT_GT(apart(1, 2), 2 * apart(0, 1));
    EXPECT_GT(discs[0].number("r"), discs[1].number("r"));
}

TEST(NetworkSvg, each_half_of_a_line_is_as_thick_as_what_its_end_sends) {
    const Element root = XmlReader::read(network_svg(example()));
    const auto halves = of_tag(root.of_class("edges").at(0), "path");
    double from_b = 0;
    double from_c = 0;
    for (const Element& half : halves) {
        ASSERT_FALSE(half.children.empty());
        if (half.children[0].text == "b to c: latency 100 ms, 80 Mbit/s")
            from_b = half.number("stroke-width");
        if (half.children[0].text == "c to b: latency 100 ms, 8 Mbit/s")
            from_c = half.number("stroke-width");
    }
    EXPECT_GT(from_b, from_c);
    EXPECT_GT(from_c, 0);
}

TEST(NetworkSvg, matrices_have_a_cell_for_each_pair_and_its_number) {
    const Element root = XmlReader::read(network_svg(example()));
    const auto maps = root.of_class("heat");
    ASSERT_EQ(maps.size(), 2U);
    EXPECT_EQ(maps[0].of_class("cell").size(), 6U);
    EXPECT_EQ(maps[0].of_class("inside").size(), 3U);
    EXPECT_EQ(maps[0].of_class("cell").at(0).children.at(0).text, "<a> to b: 10");
    EXPECT_EQ(maps[1].of_class("cell").at(3).children.at(0).text, "b to c: 80");
}

TEST(NetworkSvg, shared_capacities_stand_beside_those_who_share_them) {
    const std::string svg = network_svg(example());
    for (const char* words : {"↑ 8 Mbit/s", "↓ 16 Mbit/s", "↕ 24 Mbit/s", "Shared capacities",
                              "8 Mbit/s, &lt;a&gt; to all others"})
        EXPECT_NE(svg.find(words), std::string::npos) << words;
    EXPECT_NE(svg.find("pair: 16 Mbit/s, shared by b to c"), std::string::npos);
}

TEST(NetworkSvg, a_page_needs_no_script_and_knows_the_dark) {
    const std::string page = network_html(example(), "net.json");
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_EQ(page.find("<a>"), std::string::npos);
    EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
    EXPECT_NE(page.find("<td class=\"text\">&lt;a&gt; to all others</td>"), std::string::npos);
}

TEST(NetworkSvg, one_cluster_and_senders_are_drawn_too) {
    for (
        const char* text :
        {R"({"format":"espalier-network","version":1,"model":"grid","clusters":[{"name":"room","size":9,"broadcast_s":1}],"latency_s":[[0]],"gap_s":[[0]]})",
         R"({"format":"espalier-network","version":1,"model":"sender","nodes":[{"name":"room","transmission_time":10}]})",
         R"({"format":"espalier-network","version":1,"model":"pairwise","nodes":[{"name":"room"},{"name":"hall"}],"startup_s":[[0,null],[null,0]],"bandwidth_Bps":[[0,null],[null,0]]})"}) {
        const auto overview = overview::overview_of(network::parse_network(text, "test.json"));
        EXPECT_NO_THROW((void)XmlReader::read(network_svg(overview)));
        EXPECT_NE(network_html(overview, "net.json").find("room"), std::string::npos);
    }
}

}  // namespace
}  // namespace espalier::report
