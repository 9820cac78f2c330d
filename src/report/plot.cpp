#include "report/plot.hpp"

#include "core/infinity.hpp"
#include "report/legend.hpp"
#include "report/page_style.hpp"
#include "report/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

namespace espalier::report {

namespace {

constexpr double padding = 24;
constexpr double title_size = 17;
constexpr double subtitle_size = 13;
constexpr double label_size = 12;
constexpr double bold = 1.1;  // bold type is wider by this
constexpr double x_tick_spacing = 75;
constexpr double y_tick_spacing = 45;
constexpr double least_plot_height = 160;
constexpr double marker_radius = 3.5;

bool fits(double value, const PlotAxis& axis) {
    return std::isfinite(value) && (axis.scale == Scale::linear || value > 0);
}

/// The range of an axis, from its least to its greatest value, rounded outwards, except where the
/// caller says otherwise.
Range range_of(const Plot& plot, const PlotAxis& axis, double Series::Point::*coordinate_of,
               bool from_zero, std::size_t at_most) {
    Range range{infinity, -infinity};
    for (const Series& series : plot.series)
        for (const Series::Point& point : series.points) {
            const double value = point.*coordinate_of;
            if (!fits(value, axis))
                throw std::invalid_argument(
                    fmt::format("'{}' has a point that its axis can't show", series.name));
            // A bar that reaches where its axis does not is cut off.
            const double off = coordinate_of == &Series::Point::y ? point.off : 0;
            range.from = std::min(range.from, fits(value - off, axis) ? value - off : value);
            range.to = std::max(range.to, value + off);
        }
    if (!(range.from <= range.to)) range = {axis.from.value_or(1), axis.to.value_or(1)};
    if (from_zero && axis.scale == Scale::linear && range.from >= 0) range.from = 0;
    range = {axis.from.value_or(range.from), axis.to.value_or(range.to)};
    if (!fits(range.from, axis) || !fits(range.to, axis) || range.from > range.to)
        throw std::invalid_argument(fmt::format("the axis '{}' has no range", axis.title));
    const Range round = rounded(range, axis.scale, axis.unit, at_most);
    return {axis.from.value_or(round.from), axis.to.value_or(round.to)};
}

void draw_marker(Svg& svg, std::size_t shape, double x, double y, Svg::Attributes attributes) {
    const auto open = svg.group(attributes);
    const auto polygon = [&](std::size_t corners, double turn, double radius) {
        std::string points;
        for (std::size_t i = 0; i < corners; ++i) {
            const double angle = 2 * std::numbers::pi *
                                 (turn + static_cast<double>(i) / static_cast<double>(corners));
            points +=
                fmt::format("{}{},{}", i == 0 ? "" : " ", coordinate(x + radius * std::sin(angle)),
                            coordinate(y - radius * std::cos(angle)));
        }
        svg.add("polygon", {{"points", points}});
    };
    switch (shape % 5) {
        case 0:
            svg.add("circle", {{"cx", x}, {"cy", y}, {"r", marker_radius}});
            break;
        case 1:
            polygon(4, 0.125, marker_radius * 1.35);
            break;
        case 2:
            polygon(3, 0, marker_radius * 1.45);
            break;
        case 3:
            polygon(4, 0, marker_radius * 1.4);
            break;
        default:
            polygon(3, 0.5, marker_radius * 1.45);
    }
}

class Chart {
public:
    explicit Chart(const Plot& plot) : plot_(plot) {
        collect_legend();
        place();
    }
    [[nodiscard]] std::string draw() const;

private:
    struct Style {
        std::string_view colour;
        std::size_t shape;
        std::string_view fill;
        const char* dashes;
    };
    [[nodiscard]] Style style_of(std::size_t series) const;
    void collect_legend();
    void place();
    [[nodiscard]] AxisMap x_map() const { return {x_, {left_, right_}, plot_.x.scale}; }
    [[nodiscard]] AxisMap y_map() const { return {y_, {bottom_, top_}, plot_.y.scale}; }
    void draw_titles(Svg& svg) const;
    void draw_axes(Svg& svg) const;
    void draw_series(Svg& svg, std::size_t index) const;

    const Plot& plot_;
    Legend legend_;
    Range x_;
    Range y_;
    std::vector<Tick> x_ticks_;
    std::vector<Tick> y_ticks_;
    double width_ = 0;
    double height_ = 0;
    double legend_top_ = 0;
    double left_ = 0;
    double right_ = 0;
    double top_ = 0;
    double bottom_ = 0;
};

Chart::Style Chart::style_of(std::size_t series) const {
    const Series& what = plot_.series[series];
    const std::size_t index = what.colour.value_or(series);
    const bool dashed = what.line == Series::Line::dashed;
    const std::string_view colour = palette::series(index);
    // Where colours begin anew, lines are broken, by dots and otherwise than predictions.
    constexpr std::size_t colours = 8;
    constexpr std::array broken{"none", "9 3 2 3", "2 3"};
    return {colour, index, dashed ? palette::paper : colour,
            dashed ? "6 4" : broken.at(index / colours % broken.size())};
}

void Chart::collect_legend() {
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
        const Style style = style_of(i);
        const bool line = plot_.series[i].line != Series::Line::none;
        const bool markers = plot_.series[i].markers;
        legend_.add(plot_.series[i].name, [=](Svg& svg, double x, double middle) {
            if (line)
                svg.line(x, middle, x + Legend::sample_width, middle,
                         {{"stroke", style.colour},
                          {"stroke-width", 2.0},
                          {"stroke-dasharray", style.dashes}});
            if (markers)
                draw_marker(svg, style.shape, x + Legend::sample_width / 2, middle,
                            {{"fill", style.fill}, {"stroke", style.colour}});
        });
    }
}

void Chart::place() {
    width_ = std::ceil(std::max({plot_.width, 2 * padding + legend_.least_width(),
                                 2 * padding + bold * text_width(plot_.title, title_size),
                                 2 * padding + text_width(plot_.subtitle, subtitle_size)}));
    legend_top_ = padding + (plot_.title.empty() ? 0 : title_size + 6) +
                  (plot_.subtitle.empty() ? 0 : subtitle_size + 8);
    top_ = legend_top_ + legend_.height(width_ - 2 * padding) + 14 +
           (plot_.y.title.empty() ? 0 : label_size + 8);
    const double below = label_size + 12 + (plot_.x.title.empty() ? 0 : label_size + 8) + 14;
    height_ = std::ceil(std::max(plot_.height, top_ + least_plot_height + below));
    bottom_ = height_ - below;

    const auto most = [](double length, double spacing) {
        return static_cast<std::size_t>(std::max(3.0, std::floor(length / spacing)));
    };
    const std::size_t most_y = most(bottom_ - top_, y_tick_spacing);
    y_ = range_of(plot_, plot_.y, &Series::Point::y, true, most_y);
    y_ticks_ = ticks(y_, plot_.y.scale, plot_.y.unit, most_y + 2);
    double labels_width = 0;
    for (const Tick& tick : y_ticks_)
        labels_width = std::max(labels_width, text_width(tick.label, label_size));
    left_ = padding + labels_width + 8;
    right_ = width_ - padding - 16;
    const std::size_t most_x = most(right_ - left_, x_tick_spacing);
    x_ = range_of(plot_, plot_.x, &Series::Point::x, false, most_x);
    x_ticks_ = ticks(x_, plot_.x.scale, plot_.x.unit, most_x + 2);
}

void Chart::draw_titles(Svg& svg) const {
    double y = padding + title_size * 0.8;
    if (!plot_.title.empty()) {
        svg.text(padding, y, plot_.title,
                 {{"class", "title"},
                  {"font-size", title_size},
                  {"font-weight", "bold"},
                  {"fill", palette::ink}});
        y += subtitle_size + 8;
    }
    svg.text(padding, y, plot_.subtitle,
             {{"class", "subtitle"}, {"font-size", subtitle_size}, {"fill", palette::muted}});
    legend_.draw(svg, padding, legend_top_, width_ - 2 * padding);
}

void Chart::draw_axes(Svg& svg) const {
    const AxisMap x = x_map();
    const AxisMap y = y_map();
    {
        const auto grid = svg.group({{"class", "grid"}, {"stroke", palette::rule}});
        for (const Tick& tick : x_ticks_) svg.line(x(tick.value), top_, x(tick.value), bottom_ + 4);
        for (const Tick& tick : y_ticks_) svg.line(left_ - 4, y(tick.value), right_, y(tick.value));
    }
    svg.line(left_, bottom_, right_, bottom_, {{"stroke", palette::muted}});
    svg.line(left_, top_, left_, bottom_, {{"stroke", palette::muted}});
    {
        const auto labels = svg.group({{"class", "x-ticks"},
                                       {"font-size", label_size},
                                       {"text-anchor", "middle"},
                                       {"fill", palette::muted}});
        for (const Tick& tick : x_ticks_) svg.text(x(tick.value), bottom_ + 18, tick.label);
    }
    {
        const auto labels = svg.group({{"class", "y-ticks"},
                                       {"font-size", label_size},
                                       {"text-anchor", "end"},
                                       {"fill", palette::muted}});
        for (const Tick& tick : y_ticks_)
            svg.text(left_ - 8, baseline(y(tick.value), label_size), tick.label);
    }
    const auto titles =
        svg.group({{"class", "axes"}, {"font-size", label_size}, {"fill", palette::ink}});
    svg.text((left_ + right_) / 2, bottom_ + label_size + 28, plot_.x.title,
             {{"text-anchor", "middle"}});
    // Upright above its axis, where it needs no turned head.
    svg.text(padding, top_ - 12, plot_.y.title);
}

void Chart::draw_series(Svg& svg, std::size_t index) const {
    const Series& series = plot_.series[index];
    const Style style = style_of(index);
    const AxisMap x = x_map();
    const AxisMap y = y_map();
    const auto group = svg.group({{"class", "series"}, {"stroke", style.colour}});
    if (series.line != Series::Line::none && !series.points.empty()) {
        std::string path;
        for (const Series::Point& point : series.points)
            path += fmt::format("{}{},{}", path.empty() ? "" : " ", coordinate(x(point.x)),
                                coordinate(y(point.y)));
        // An inner picture cuts off what lies beyond the axes, and needs no name to do so.
        const double width = right_ - left_ + 4;
        const double height = bottom_ - top_ + 4;
        const auto inside = svg.open(
            "svg",
            {{"x", left_ - 2},
             {"y", top_ - 2},
             {"width", width},
             {"height", height},
             {"viewBox", fmt::format("{} {} {} {}", coordinate(left_ - 2), coordinate(top_ - 2),
                                     coordinate(width), coordinate(height))}});
        svg.add("polyline", {{"points", path},
                             {"fill", "none"},
                             {"stroke-width", 2.0},
                             {"stroke-linejoin", "round"},
                             {"stroke-dasharray", style.dashes}});
    }
    for (const Series::Point& point : series.points) {
        if (!(point.off > 0) || point.x < x_.from || point.x > x_.to) continue;
        constexpr double half_width = 4;
        const double low = y(std::clamp(point.y - point.off, y_.from, y_.to));
        const double high = y(std::clamp(point.y + point.off, y_.from, y_.to));
        const double middle = x(point.x);
        const auto bar = svg.group({{"class", "off"}, {"stroke-width", 1.2}});
        svg.line(middle, low, middle, high);
        svg.line(middle - half_width, low, middle + half_width, low);
        svg.line(middle - half_width, high, middle + half_width, high);
    }
    for (const Series::Point& point : series.points)
        if (!point.label.empty())
            svg.text(x(point.x) + 6, y(point.y) + label_size + 2, point.label,
                     {{"class", "point-label"},
                      {"font-size", label_size - 1},
                      {"text-anchor", x(point.x) > (left_ + right_) / 2 ? "end" : "start"},
                      {"fill", style.colour},
                      {"stroke", palette::paper},
                      {"stroke-width", 3.0},
                      {"paint-order", "stroke"}});
    if (!series.markers) return;
    for (const Series::Point& point : series.points)
        if (point.x >= x_.from && point.x <= x_.to && point.y >= y_.from && point.y <= y_.to)
            draw_marker(svg, style.shape, x(point.x), y(point.y),
                        {{"class", "marker"}, {"fill", style.fill}});
}

std::string Chart::draw() const {
    Svg svg(width_, height_, plot_.title);
    svg.style(dark_picture_style());
    draw_titles(svg);
    draw_axes(svg);
    for (std::size_t i = 0; i < plot_.series.size(); ++i) draw_series(svg, i);
    return std::move(svg).finish();
}

}  // namespace

std::string plot_svg(const Plot& plot) { return Chart(plot).draw(); }

}  // namespace espalier::report
