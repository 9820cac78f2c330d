#include "report/density_svg.hpp"

#include "report/example_plans.hpp"
#include "report/svg_reader.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace espalier::report {
namespace {

using schedule::Plan;
using test::Element;
using test::numbered;
using test::PlanBuilder;
using ::testing::HasSubstr;
using ::testing::Not;

struct Cell {
    double begin;
    double end;
    double strength;
};

/// The cells of the first row of sends (0) or receives (1), in parts of the width of the plot.
std::vector<Cell> first_row(const Element& root, std::size_t which) {
    double right = 0;
    double left = 1e9;
    for (const Element& marker : root.of_class("density"))
        for (const Element& cell : marker.children) {
            left = std::min(left, cell.number("x"));
            right = std::max(right, cell.number("x") + cell.number("width"));
        }
    const auto densities = root.of_class("density");
    const auto& cells = densities.at(which).children;
    double top = 1e9;
    for (const Element& cell : cells) top = std::min(top, cell.number("y"));
    std::vector<Cell> row;
    for (const Element& cell : cells)
        if (cell.number("y") == top)
            row.push_back({(cell.number("x") - left) / (right - left),
                           (cell.number("x") + cell.number("width") - left) / (right - left),
                           cell.number("fill-opacity")});
    return row;
}

TEST(DensitySvg, a_nodes_sends_and_receives_stand_where_its_time_goes) {
    PlanBuilder builder(schedule::Kind::broadcast, numbered("n", 3), Bytes(8));
    builder.send(0, 1, 0, 60, 0).send(0, 2, 120, 60, 60);
    const Element root = test::XmlReader::read(density_svg(builder.plan));
    const auto sends = first_row(root, 0);
    ASSERT_EQ(sends.size(), 2U);
    EXPECT_DOUBLE_EQ(sends[0].begin, 0);
    EXPECT_DOUBLE_EQ(sends[0].end, 0.25);
    EXPECT_DOUBLE_EQ(sends[1].begin, 0.5);
    EXPECT_DOUBLE_EQ(sends[1].end, 0.75);
    EXPECT_EQ(sends[0].strength, 1);
    const auto receives = first_row(root, 1);
    ASSERT_EQ(receives.size(), 1U) << "of n1";
    EXPECT_DOUBLE_EQ(receives[0].end, 0.25);
}

TEST(DensitySvg, the_strength_is_the_part_of_a_rows_nodes_that_is_busy) {
    // Rows of two nodes, of which one sends; the last half of the time nobody does.
    const std::size_t nodes = 120;
    PlanBuilder builder(schedule::Kind::alltoall, numbered("n", nodes), Bytes(8));
    for (std::size_t node = 0; node < nodes; node += 2) builder.send(node, node + 1, 0, 10, 0);
    builder.send(0, 1, 20, 0, 0);
    const auto sends = first_row(test::XmlReader::read(density_svg(builder.plan)), 0);
    ASSERT_FALSE(sends.empty());
    EXPECT_EQ(sends.front().strength, 0.5);
}

TEST(DensitySvg, is_small_and_says_what_it_sums_up_however_many_there_are) {
    const std::size_t nodes = 100'000;
    PlanBuilder builder(schedule::Kind::broadcast, numbered("n", nodes), Bytes(8));
    for (std::size_t node = 1; node < nodes; ++node)
        builder.send((node - 1) / 2, node, static_cast<double>(node), 5, 1);
    EXPECT_TRUE(is_crowd(builder.plan));
    const std::string svg = density_svg(builder.plan);
    EXPECT_LT(svg.size(), 2'000'000U);
    EXPECT_THAT(svg, HasSubstr("99999 messages are summed up"));
    const std::string page = density_html(builder.plan);
    EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, HasSubstr(svg));
}

TEST(DensitySvg, groups_are_named_where_there_is_room_beside_their_rows) {
    // Rows of two nodes: the second group has half a row.
    PlanBuilder builder(schedule::Kind::broadcast, numbered("n", 120), Bytes(8));
    builder.send(0, 119, 0, 1, 0);
    TimelineOptions options;
    options.groups = {{"near", 59}, {"alone", 1}, {"far", 60}};
    const Element root = test::XmlReader::read(density_svg(builder.plan, options));
    const auto groups = root.of_class("groups");
    ASSERT_EQ(groups.size(), 1U);
    std::vector<std::string> names;
    for (const Element& child : groups[0].children)
        if (child.tag == "text") names.push_back(child.text);
    EXPECT_THAT(names, ::testing::ElementsAre("near", "alone", "far"));
    options.groups.back().nodes = 59;
    EXPECT_THROW(static_cast<void>(density_svg(builder.plan, options)), std::invalid_argument);
}

TEST(DensitySvg, few_messages_are_no_crowd) {
    PlanBuilder builder(schedule::Kind::broadcast, numbered("n", 2), Bytes(8));
    EXPECT_FALSE(is_crowd(builder.send(0, 1, 0, 1, 0).plan));
    builder.plan.timeline.transfers.clear();
    EXPECT_THROW(static_cast<void>(density_svg(builder.plan)), std::invalid_argument);
}

}  // namespace
}  // namespace espalier::report
