#include "report/heat_map.hpp"

#include "report/svg_reader.hpp"

#include <gmock/gmock.h>

#include <utility>

namespace espalier::report {
namespace {

/// How strong the cell from the first to the second of two hosts is, and that of the way back.
std::pair<double, double> strengths(double there, double back) {
    HeatMap map{.title = "Lost", .names = {"a", "b"}, .colour = "#d55e00"};
    map.values = Matrix<std::optional<double>>(2, 2);
    map.numbers = Matrix<std::string>(2, 2);
    map.values(0, 1) = there;
    map.values(1, 0) = back;
    const Panel panel = heat_panel(map);
    Svg svg(panel.width, panel.height, map.title);
    panel.draw(svg);
    const auto cells = test::XmlReader::read(std::move(svg).finish()).of_class("cell");
    return {cells.at(0).number("fill-opacity"), cells.at(1).number("fill-opacity")};
}

TEST(HeatMap, shows_more_as_stronger) {
    const auto [less, more] = strengths(1, 5);
    EXPECT_LT(less, more);
    const auto [one, other] = strengths(5, 5);
    EXPECT_EQ(one, other);
}

TEST(HeatMap, shows_nothing_as_fainter_than_anything) {
    const auto [none, some] = strengths(0, 5);
    EXPECT_LT(none, some / 2);
}

}  // namespace
}  // namespace espalier::report
