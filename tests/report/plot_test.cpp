#include "report/plot.hpp"

#include "report/svg.hpp"
#include "report/svg_reader.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace espalier::report {
namespace {

using test::Element;
using test::XmlReader;

Plot example(Scale x, Scale y) {
    Plot plot;
    plot.title = "Broadcast of 1 MiB & more";
    plot.x = {.title = "processes", .scale = x};
    plot.y = {.title = "time", .scale = y, .unit = AxisUnit::seconds};
    plot.series = {{.name = "predicted", .points = {{2, 0.1}, {10, 0.4}, {50, 2}}},
                   {.name = "executed", .points = {{2, 0.11}, {10, 0.39}, {50, 2.1}}}};
    plot.series[0].line = Series::Line::dashed;
    plot.series[0].colour = 0;
    plot.series[1].colour = 0;
    return plot;
}

Element only(const Element& root, const std::string& name) {
    const std::vector<Element> found = root.of_class(name);
    if (found.size() != 1) throw std::runtime_error(name + " is not there once");
    return found.front();
}

std::vector<Element> of_tag(const Element& root, const std::string& tag) {
    std::vector<Element> out;
    root.each([&](const Element& element) {
        if (element.tag == tag) out.push_back(element);
    });
    return out;
}

struct Pixel {
    double x;
    double y;
};
std::vector<Pixel> points_of(const Element& polyline) {
    std::istringstream in(polyline.get("points"));
    std::vector<Pixel> out;
    char comma = 0;
    for (Pixel pixel{}; in >> pixel.x >> comma >> pixel.y;) out.push_back(pixel);
    return out;
}

/// A value at a pixel, from the positions of the first and the last tick of its axis.
double read_off(double pixel, const std::vector<Element>& labels, const std::string& side,
                double first, double last, Scale scale) {
    // A label of the y axis stands a little below its tick.
    const double shift = side == "y" ? baseline(0, 12) : 0;
    const double a = labels.front().number(side) - shift;
    const double b = labels.back().number(side) - shift;
    const double share = (pixel - a) / (b - a);
    return scale == Scale::linear ? first + share * (last - first)
                                  : first * std::pow(last / first, share);
}

TEST(PlotSvg, points_stand_where_the_ticks_say_on_linear_axes) {
    const Plot plot = example(Scale::linear, Scale::linear);
    const Element root = XmlReader::read(plot_svg(plot));
    const std::vector<Element> x = only(root, "x-ticks").children;
    const std::vector<Element> y = only(root, "y-ticks").children;
    EXPECT_EQ(x.front().text, "0");
    EXPECT_EQ(x.back().text, "50");
    EXPECT_EQ(y.front().text, "0 s");
    EXPECT_EQ(y.back().text, "2.5 s");
    const std::vector<Element> lines = of_tag(root, "polyline");
    ASSERT_EQ(lines.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        const std::vector<Pixel> pixels = points_of(lines[i]);
        ASSERT_EQ(pixels.size(), 3U);
        for (std::size_t j = 0; j < 3; ++j) {
            EXPECT_NEAR(read_off(pixels[j].x, x, "x", 0, 50, Scale::linear),
                        plot.series[i].points[j].x, 0.01);
            EXPECT_NEAR(read_off(pixels[j].y, y, "y", 0, 2.5, Scale::linear),
                        plot.series[i].points[j].y, 0.001);
        }
    }
}

TEST(PlotSvg, points_stand_where_the_ticks_say_on_logarithmic_axes) {
    const Plot plot = example(Scale::log, Scale::log);
    const Element root = XmlReader::read(plot_svg(plot));
    const std::vector<Element> x = only(root, "x-ticks").children;
    const std::vector<Element> y = only(root, "y-ticks").children;
    EXPECT_EQ(x.front().text, "2");
    EXPECT_EQ(x.back().text, "50");
    EXPECT_EQ(y.front().text, "100 ms");
    EXPECT_EQ(y.back().text, "5 s");
    const std::vector<Pixel> pixels = points_of(of_tag(root, "polyline").at(1));
    for (std::size_t j = 0; j < 3; ++j) {
        const Series::Point& point = plot.series[1].points[j];
        EXPECT_NEAR(read_off(pixels[j].x, x, "x", 2, 50, Scale::log) / point.x, 1, 1e-3);
        EXPECT_NEAR(read_off(pixels[j].y, y, "y", 0.1, 5, Scale::log) / point.y, 1, 1e-3);
    }
}

TEST(PlotSvg, bars_show_how_far_off_a_point_may_be) {
    Plot plot = example(Scale::linear, Scale::log);
    EXPECT_EQ(XmlReader::read(plot_svg(plot)).of_class("off").size(), 0U);
    plot.series[0].points[0].off = 0.2 * plot.series[0].points[0].y;
    // Below 0 there is nothing on this axis: what reaches there is cut off.
    plot.series[0].points[1].off = 3 * plot.series[0].points[1].y;
    const Element root = XmlReader::read(plot_svg(plot));
    const std::vector<Element> bars = root.of_class("off");
    ASSERT_EQ(bars.size(), 2U);
    for (const Element& bar : bars) {
        const std::vector<Element> lines = of_tag(bar, "line");
        ASSERT_EQ(lines.size(), 3U);
        EXPECT_GT(lines[0].number("y1"), lines[0].number("y2"));
        EXPECT_LE(lines[0].number("y1"), root.number("height"));
        EXPECT_GE(lines[0].number("y2"), 0);
    }
}

TEST(PlotSvg, is_dark_where_its_reader_wants_that) {
    const Element root = XmlReader::read(plot_svg(example(Scale::linear, Scale::linear)));
    const std::string style = of_tag(root, "style").at(0).text;
    EXPECT_NE(style.find("prefers-color-scheme: dark"), std::string::npos);
    for (std::size_t k = 0; k < 8; ++k)
        for (const char* const what : {"fill", "stroke"})
            EXPECT_NE(style.find(std::string(what) + "=\"" + std::string(palette::series(k))),
                      std::string::npos);
}

TEST(PlotSvg, predicted_is_dashed_and_hollow_in_the_colour_of_executed) {
    const Element root = XmlReader::read(plot_svg(example(Scale::linear, Scale::linear)));
    const std::vector<Element> series = root.of_class("series");
    ASSERT_EQ(series.size(), 2U);
    EXPECT_EQ(series[0].get("stroke"), series[1].get("stroke"));
    EXPECT_NE(of_tag(series[0], "polyline").at(0).get("stroke-dasharray"), "none");
    EXPECT_EQ(of_tag(series[1], "polyline").at(0).get("stroke-dasharray"), "none");
    EXPECT_EQ(series[0].of_class("marker").at(0).get("fill"), std::string(palette::paper));
    EXPECT_EQ(series[1].of_class("marker").at(0).get("fill"), series[1].get("stroke"));
}

TEST(PlotSvg, tick_labels_are_apart_and_all_text_is_on_the_page) {
    for (const Scale scale : {Scale::linear, Scale::log})
        for (const AxisUnit unit : {AxisUnit::number, AxisUnit::seconds, AxisUnit::bytes}) {
            Plot plot = example(scale, scale);
            plot.series[0].points = {{8, 1e-6}, {3e3, 2}, {4.2e6, 30}};
            plot.x.unit = unit;
            for (int i = 0; i < 20; ++i) plot.series.push_back({.name = "algorithm with a name"});
            const Element root = XmlReader::read(plot_svg(plot));
            const std::vector<Element> x = only(root, "x-ticks").children;
            ASSERT_GE(x.size(), 2U);
            for (std::size_t i = 1; i < x.size(); ++i)
                EXPECT_GE(x[i].number("x") - x[i - 1].number("x"),
                          (text_width(x[i].text, 12) + text_width(x[i - 1].text, 12)) / 2)
                    << x[i].text;
            for (const Element& label : only(root, "y-ticks").children)
                EXPECT_GE(label.number("x") - text_width(label.text, 12), 0) << label.text;
            for (const Element& text : of_tag(root, "text")) {
                EXPECT_LE(text.number("x"), root.number("width"));
                EXPECT_LE(text.number("y"), root.number("height"));
            }
            const Element legend = only(root, "legend");
            for (const Element& words : of_tag(legend, "text"))
                EXPECT_LE(words.number("x") + text_width(words.text, 12), root.number("width"));
        }
}

TEST(PlotSvg, given_ends_are_kept_and_cut_what_lies_beyond) {
    Plot plot = example(Scale::linear, Scale::linear);
    plot.x.from = 0;
    plot.x.to = 20;
    plot.y.to = 1;
    plot.series[0].points.push_back({15, 1.5});
    plot.series[1].points.push_back({25, 0.5});
    const Element root = XmlReader::read(plot_svg(plot));
    EXPECT_EQ(only(root, "x-ticks").children.back().text, "20");
    EXPECT_EQ(only(root, "y-ticks").children.back().text, "1.0 s");
    for (const Element& series : root.of_class("series"))
        EXPECT_EQ(series.of_class("marker").size(), 2U);
}

TEST(PlotSvg, a_chart_without_points_or_with_one_is_a_picture_too) {
    EXPECT_EQ(of_tag(XmlReader::read(plot_svg({})), "polyline").size(), 0U);
    Plot plot;
    plot.series = {{.name = "one", .points = {{3, 0}}}};
    EXPECT_EQ(XmlReader::read(plot_svg(plot)).of_class("marker").size(), 1U);
    plot.x.scale = Scale::log;
    EXPECT_EQ(XmlReader::read(plot_svg(plot)).of_class("marker").size(), 1U);
}

TEST(PlotSvg, a_point_that_can_not_be_shown_is_refused) {
    Plot plot = example(Scale::linear, Scale::log);
    plot.series[0].points.push_back({60, 0});
    EXPECT_THROW((void)plot_svg(plot), std::invalid_argument);
    plot.series[0].points.back() = {60, std::numeric_limits<double>::quiet_NaN()};
    EXPECT_THROW((void)plot_svg(plot), std::invalid_argument);
    plot = example(Scale::linear, Scale::linear);
    plot.x.from = 100;
    EXPECT_THROW((void)plot_svg(plot), std::invalid_argument);
}

}  // namespace
}  // namespace espalier::report
