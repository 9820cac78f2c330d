#include "report/bars.hpp"

#include "report/svg_reader.hpp"

#include <gmock/gmock.h>

#include <utility>

namespace espalier::report {
namespace {

using test::Element;
using test::XmlReader;
using testing::ElementsAre;

Element drawn(const std::vector<AmountGroup>& groups) {
    const Panel panel = bar_panel("Times", groups, 300);
    Svg svg(panel.width, panel.height, "Times");
    panel.draw(svg);
    return XmlReader::read(std::move(svg).finish());
}

std::vector<Element> all(const Element& in, const std::string& tag) {
    std::vector<Element> found;
    in.of_class("bars").front().each([&](const Element& element) {
        if (element.tag == tag) found.push_back(element);
    });
    return found;
}

TEST(Bars, are_as_long_as_what_they_stand_for) {
    const Element picture =
        drawn({{"a", {{1, "one", palette::blue}, {3, "three", palette::orange}}},
               {"b", {{1.5, "half", palette::blue}}}});
    std::vector<double> widths;
    for (const Element& bar : all(picture, "rect")) widths.push_back(bar.number("width"));
    EXPECT_THAT(widths, ElementsAre(100, 300, 150));
}

TEST(Bars, of_predictions_are_hollow) {
    const Element picture = drawn({{"a", {{1, "", palette::blue}, {2, "", palette::blue, true}}}});
    const auto bars = all(picture, "rect");
    EXPECT_EQ(bars[0].get("fill"), palette::blue);
    EXPECT_EQ(bars[1].get("fill"), palette::paper);
    EXPECT_EQ(bars[1].get("stroke"), palette::blue);
    EXPECT_NE(bars[1].get("stroke-dasharray"), "");
}

TEST(Bars, have_a_mark_on_the_same_scale) {
    const Element picture =
        drawn({{"a", {{4, "", palette::blue}}, 2}, {"b", {{1, "", palette::blue}}}});
    const auto marks = all(picture, "line");
    ASSERT_EQ(marks.size(), 1u);
    const double left = all(picture, "rect").front().number("x");
    EXPECT_DOUBLE_EQ(marks[0].number("x1"), left + 150);
}

}  // namespace
}  // namespace espalier::report
