#pragma once

#include "report/axis.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace espalier::report {

/// A curve of a chart: points joined in their order.
struct Series {
    enum class Line { solid, dashed, none };
    struct Point {
        double x = 0;
        double y = 0;
        double off = 0;          ///< how far off y may be; shown as a bar from below to above it
        std::string label = {};  ///< small, beside it
    };
    std::string name = {};
    std::vector<Point> points = {};
    /// Dashed with hollow markers for what is predicted, solid for what was executed.
    Line line = Line::solid;
    bool markers = true;
    /// The index of its colour, marker and dashes; the series' own position if unset. Two series
    /// that show the same thing, predicted and executed, share one.
    std::optional<std::size_t> colour = {};
};

struct PlotAxis {
    std::string title = {};
    Scale scale = Scale::linear;
    AxisUnit unit = AxisUnit::number;
    /// The ends of the axis, in SI units. If unset, an end is the round number beyond the data, but
    /// 0 for a linear y axis of data that are not negative.
    std::optional<double> from = {};
    std::optional<double> to = {};
};

/// A chart of lines and markers.
struct Plot {
    std::string title = {};
    std::string subtitle = {};
    PlotAxis x = {};
    PlotAxis y = {};
    std::vector<Series> series = {};
    double width = 760;  ///< pixels
    double height = 480;
};

/// The chart as SVG, light or dark as whoever looks at it prefers. Throws std::invalid_argument for
/// a point that is not finite, or not positive on a logarithmic axis, and for an axis that ends
/// before it begins.
[[nodiscard]] std::string plot_svg(const Plot& plot);

}  // namespace espalier::report
