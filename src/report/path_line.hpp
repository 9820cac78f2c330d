#pragma once

#include "report/legend.hpp"
#include "report/svg.hpp"
#include "schedule/timeline.hpp"
#include "simulate/dependences.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace espalier::report {

/// The critical path of a plan as a line from node to node over time.
class PathLine {
public:
    struct Point {
        double time = 0;  ///< seconds
        std::size_t node = 0;
    };

    /// Throws std::invalid_argument where the timeline is not one of that schedule.
    explicit PathLine(const schedule::Plan& plan);

    [[nodiscard]] const simulate::CriticalPath& path() const { return path_; }
    [[nodiscard]] const std::vector<Point>& points() const { return points_; }
    /// Draws it where these functions put a time and a node, in pixels.
    void draw(Svg& svg, const std::function<double(double)>& x_of,
              const std::function<double(std::size_t)>& y_of) const;
    static void explain(Legend& legend);

private:
    simulate::CriticalPath path_;
    std::vector<Point> points_;
};

}  // namespace espalier::report
