#include "report/path_line.hpp"

#include <fmt/format.h>

#include <string>

namespace espalier::report {

namespace {

using simulate::Bond;

constexpr double stroke_width = 2;

simulate::CriticalPath path_of(const schedule::Plan& plan) {
    return critical_path(plan.schedule, plan.timeline,
                         simulate::Dependences(plan.schedule, plan.timeline));
}

}  // namespace

PathLine::PathLine(const schedule::Plan& plan) : path_(path_of(plan)) {
    for (std::size_t s = 0; s < path_.steps.size(); ++s) {
        const simulate::CriticalPath::Step& step = path_.steps[s];
        const schedule::Transfer& transfer = plan.schedule.transfers[step.transfer];
        // What waits for a port goes on where that port is.
        const bool at_receiver = step.bond == Bond::receiver;
        const bool by_sending =
            s + 1 < path_.steps.size() && path_.steps[s + 1].bond == Bond::sender;
        points_.push_back({step.begins.value, at_receiver ? transfer.to : transfer.from});
        points_.push_back({step.ends.value, by_sending ? transfer.from : transfer.to});
    }
}

void PathLine::draw(Svg& svg, const std::function<double(double)>& x_of,
                    const std::function<double(std::size_t)>& y_of) const {
    std::string all;
    for (const Point& point : points_)
        all += fmt::format("{}{},{}", all.empty() ? "" : " ", coordinate(x_of(point.time)),
                           coordinate(y_of(point.node)));
    if (all.empty()) return;
    svg.add("polyline", {{"class", "critical-path"},
                         {"points", all},
                         {"fill", "none"},
                         {"stroke", palette::orange},
                         {"stroke-width", stroke_width},
                         {"stroke-linejoin", "round"},
                         {"pointer-events", "none"}});
}

void PathLine::explain(Legend& legend) {
    legend.add("critical path: what all wait for", [](Svg& svg, double x, double middle) {
        svg.line(x, middle, x + Legend::sample_width, middle,
                 {{"stroke", palette::orange}, {"stroke-width", stroke_width}});
    });
}

}  // namespace espalier::report
