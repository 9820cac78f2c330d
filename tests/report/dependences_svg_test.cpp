#include "report/dependences_svg.hpp"

#include "report/exchange_plans.hpp"
#include "report/svg_reader.hpp"

#include <gmock/gmock.h>

#include <map>

namespace espalier::report {
namespace {

using testing::Element;
using testing::exchange_plan;
using testing::numbered;
using testing::PlanBuilder;
using testing::XmlReader;

Element picture(const schedule::Plan& plan) {
    return XmlReader::read(dependences_svg(plan, analyse(plan)));
}

TEST(DependencesSvg, a_caterpillar_has_a_row_for_each_step) {
    constexpr std::size_t nodes = 5;
    const schedule::Plan plan = exchange_plan(numbered("P", nodes), 4);
    const Element root = picture(plan);
    std::map<std::string, Element> messages;
    std::map<double, std::size_t> rows;
    for (const Element& message : root.of_class("message")) {
        messages[message.get("data-transfer")] = message;
        ++rows[message.number("y")];
    }
    EXPECT_EQ(messages.size(), nodes * (nodes - 1));
    EXPECT_EQ(rows.size(), nodes - 1);
    for (const auto& [y, count] : rows) EXPECT_EQ(count, nodes);
    const std::vector<Element> edges = root.of_class("edge");
    EXPECT_EQ(edges.size(), 2 * nodes * (nodes - 2));
    for (const Element& edge : edges) {
        const Element& from = messages.at(edge.get("data-from"));
        const Element& to = messages.at(edge.get("data-to"));
        EXPECT_LT(edge.number("y1"), edge.number("y2"));
        EXPECT_NEAR(edge.number("x1"), from.number("x") + from.number("width") / 2, 0.02);
        EXPECT_NEAR(edge.number("x2"), to.number("x") + to.number("width") / 2, 0.02);
        EXPECT_NEAR(edge.number("y1"), from.number("y") + from.number("height"), 0.02);
        EXPECT_NEAR(edge.number("y2"), to.number("y"), 0.02);
    }
}

TEST(DependencesSvg, the_critical_path_is_a_chain_of_edges) {
    const schedule::Plan plan = exchange_plan(numbered("P", 8), 9);
    const Analysis analysis = analyse(plan);
    const Element root = picture(plan);
    const std::vector<Element> links = root.of_class("critical-link");
    ASSERT_EQ(links.size() + 1, analysis.path.steps.size());
    for (const Element& link : links) {
        bool found = false;
        for (const Element& edge : root.of_class("edge"))
            found =
                found || (edge.get("x1") == link.get("x1") && edge.get("y1") == link.get("y1") &&
                          edge.get("x2") == link.get("x2") && edge.get("y2") == link.get("y2"));
        EXPECT_TRUE(found);
    }
}

TEST(DependencesSvg, depths_count_the_longest_way) {
    PlanBuilder builder(schedule::Kind::broadcast, numbered("n", 4), Bytes(10));
    builder.send(0, 1, 0, 2, 0).send(0, 2, 2, 2, 0).send(1, 3, 2, 1, 0);
    const Analysis analysis = analyse(builder.plan);
    EXPECT_THAT(depths(analysis.dependences), ::testing::ElementsAre(0, 1, 1));
}

TEST(DependencesSvg, depths_do_not_depend_on_which_path_is_seen_last) {
    PlanBuilder builder(schedule::Kind::alltoall, numbered("n", 5), Bytes(10));
    builder.send(3, 4, 0, 1, 0).send(0, 1, 0, 1, 0).send(0, 2, 1, 1, 0).send(0, 4, 2, 1, 0);
    EXPECT_THAT(depths(analyse(builder.plan).dependences), ::testing::ElementsAre(0, 0, 1, 2));
}

TEST(DependencesSvg, a_schedule_without_messages_has_an_empty_graph) {
    PlanBuilder builder(schedule::Kind::broadcast, {"alone"}, Bytes(10));
    EXPECT_TRUE(picture(builder.plan).of_class("message").empty());
}

}  // namespace
}  // namespace espalier::report
