#include "report/columns_layout.hpp"

#include "report/page.hpp"
#include "report/plan_text.hpp"

#include <algorithm>
#include <vector>

namespace espalier::report {

namespace {

constexpr double most_column_width = 120;
constexpr double least_column_width = 12;
constexpr double least_plot_height = 480;
constexpr double most_plot_height = 2600;
constexpr double height_of_a_message = 14;
constexpr double least_bar_height = 0.8;
constexpr double column_gap_share = 0.12;
constexpr double groups_height = 18;

}  // namespace

ColumnsLayout::ColumnsLayout(const schedule::Plan& plan, View view, const TimelineOptions& options)
    : nodes_(plan.schedule.nodes.size()),
      tracks_(column_tracks(plan)),
      sends_(view != View::receive_columns),
      receives_(view != View::columns),
      last_time_(find_last_time(plan)),
      left_(find_left(options)),
      right_margin_(find_right_margin(plan, options)),
      column_width_(find_column_width(options.width - left_ - right_margin_)),
      names_(plan.schedule.nodes, side_width() - 4),
      head_height_(names_.head_height(column_width_) +
                   (options.groups.empty() ? 0 : groups_height)),
      plot_height_(find_plot_height()),
      width_(right() + right_margin_) {
    options.check_groups(nodes_);
}

Box ColumnsLayout::box_of(const Bar& bar) const {
    const bool receive = bar.kind == Bar::Kind::receive;
    const double side = side_width();
    const auto tracks =
        static_cast<double>((receive ? tracks_.receive_tracks : tracks_.send_tracks)[bar.lane]);
    const double y = y_of(bar.start);
    return {x_of(bar.lane) + column_width_ * column_gap_share / 2 + (both() && receive ? side : 0) +
                side * static_cast<double>(bar.track) / tracks,
            y, side / tracks, std::max(y_of(bar.end) - y, least_bar_height)};
}

double ColumnsLayout::find_last_time(const schedule::Plan& plan) const {
    double last = std::max(plan.timeline.makespan.value, plan.lower_bound.value);
    for_each_bar([&](const Bar& bar) { last = std::max(last, bar.end); });
    return last;
}

double ColumnsLayout::find_plot_height() const {
    std::vector<std::size_t> messages(nodes_, 0);
    for_each_bar([&](const Bar& bar) { ++messages[bar.lane]; });
    const auto most = static_cast<double>(*std::ranges::max_element(messages));
    return std::clamp(most * height_of_a_message, least_plot_height, most_plot_height);
}

double ColumnsLayout::find_left(const TimelineOptions& options) const {
    double width = 0;
    const AxisUnit unit = options.time_unit.empty() ? AxisUnit::seconds : AxisUnit::number;
    for (const Tick& tick : ticks(times(), Scale::linear, unit, 30))
        width = std::max(width, text_width(tick.label + ' ' + options.time_unit, small_size));
    return Page::padding + width + 10;
}

double ColumnsLayout::find_right_margin(const schedule::Plan& plan,
                                        const TimelineOptions& options) {
    const auto width = [&](const char* name, Seconds time) {
        return text_width(name + format_time(time, options.time_unit), small_size);
    };
    double widest = width("makespan ", plan.timeline.makespan);
    if (plan.lower_bound.value > 0)
        widest = std::max(widest, width("lower bound ", plan.lower_bound));
    return widest + 14 + Page::padding;
}

double ColumnsLayout::find_column_width(double room) const {
    const double share = both() ? 2 : 1;
    const double number_width = text_width(std::to_string(nodes_ - 1), least_label_size) + 5;
    return std::clamp(room / static_cast<double>(nodes_),
                      share * std::max(least_column_width, number_width),
                      share * most_column_width);
}

double ColumnsLayout::side_width() const {
    return column_width_ * (1 - column_gap_share) / (both() ? 2 : 1);
}

}  // namespace espalier::report
