#include "report/density_svg.hpp"

#include "core/infinity.hpp"
#include "report/axis.hpp"
#include "report/page.hpp"
#include "report/page_parts.hpp"
#include "report/page_style.hpp"
#include "report/path_line.hpp"
#include "report/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace espalier::report {

namespace {

constexpr std::size_t most_bars = 30'000;
constexpr std::size_t most_rows = 60;
constexpr std::size_t bins = 240;
constexpr double row_height = 10;
constexpr double bin_width = 4;
constexpr double between_plot_and_names = 10;
constexpr double axis_space = 26;
constexpr double marker_space = 17;
constexpr double longest_name = 150;
constexpr double name_size = 10;
/// Steps of a colour's strength; neighbours of the same step are one rectangle.
constexpr int strengths = 8;

/// For each bin of time, how many nodes of a row are busy in the mean. Spans are added in a time
/// that does not depend on their length.
class BusyRow {
public:
    void add(double from, double to) {
        change(from, 1);
        change(to, -1);
    }
    [[nodiscard]] std::array<double, bins> means() const {
        std::array<double, bins> busy{};
        double level = 0;
        for (std::size_t bin = 0; bin < bins; ++bin) {
            busy.at(bin) = level + inside_.at(bin);
            level += steps_.at(bin);
        }
        return busy;
    }

private:
    /// From `at` (in bins) on, one node more or less is busy.
    void change(double at, double by) {
        const double clear = std::clamp(at, 0.0, static_cast<double>(bins));
        const auto bin = std::min(static_cast<std::size_t>(clear), bins - 1);
        inside_.at(bin) += by * (static_cast<double>(bin) + 1 - clear);
        steps_.at(bin) += by;
    }

    std::array<double, bins> inside_{};
    std::array<double, bins> steps_{};
};

class DensityPicture {
public:
    DensityPicture(const schedule::Plan& plan, const TimelineOptions& options)
        : plan_(plan), options_(options) {
        const auto& schedule = plan.schedule;
        if (plan.timeline.transfers.size() != schedule.transfers.size())
            throw std::invalid_argument("the timeline does not have the transfers of its schedule");
        options.check_groups(schedule.nodes.size());
        nodes_per_row_ = (schedule.nodes.size() + most_rows - 1) / most_rows;
        rows_ = (schedule.nodes.size() + nodes_per_row_ - 1) / nodes_per_row_;
        add_spans();
        const Headline headline = headline_of(plan, options.time_unit);
        page_.title = options.title.empty() ? title_of(headline) : options.title;
        page_.subtitle = subtitle_of(headline);
        page_.legend.add("nodes that send", swatch(palette::blue, palette::blue));
        page_.legend.add("nodes that receive", swatch(palette::dark_amber, palette::dark_amber));
        page_.legend.add(
            fmt::format("the stronger, the more of a row's {}; {} messages are summed up, and "
                        "none is drawn by itself",
                        nodes_per_row_ == 1 ? "node" : fmt::format("{} nodes", nodes_per_row_),
                        schedule.transfers.size()),
            [](Svg& svg, double x, double middle) {
                svg.rect(x, middle - 5, Legend::sample_width / 2, 10,
                         {{"fill", palette::blue}, {"fill-opacity", 0.2}});
                svg.rect(x + Legend::sample_width / 2, middle - 5, Legend::sample_width / 2, 10,
                         {{"fill", palette::blue}});
            });
        if (!options.critical_path) return;
        path_.emplace(plan);
        PathLine::explain(page_.legend);
    }

    [[nodiscard]] const std::string& title() const { return page_.title; }

    [[nodiscard]] std::string draw() {
        left_ = Page::padding + groups_width() + names_width() + between_plot_and_names;
        const double right = left_ + bin_width * static_cast<double>(bins);
        const double width = std::ceil(std::max(right + Page::padding, page_.least_width()));
        top_ = page_.bottom(width) + 2 * marker_space;
        bottom_ = top_ + row_height * static_cast<double>(rows_);
        Svg svg(width, std::ceil(bottom_ + axis_space + 12), page_.title);
        page_.draw(svg, width);
        draw_names(svg);
        draw_groups(svg);
        draw_cells(svg, sends_, palette::blue, 0);
        draw_cells(svg, receives_, palette::dark_amber, row_height / 2);
        draw_axis(svg);
        if (path_)
            path_->draw(
                svg, [this](double time) { return x_of(time); },
                [this](std::size_t node) {
                    const std::size_t row = node / nodes_per_row_;
                    return top_ + row_height * (static_cast<double>(row) + 0.5);
                });
        draw_markers(svg);
        return std::move(svg).finish();
    }

private:
    void add_spans() {
        const auto& times = plan_.timeline.transfers;
        last_ = std::max(
            {plan_.timeline.makespan.value, plan_.lower_bound.value, options_.until.value});
        for (const auto& time : times) last_ = std::max(last_, time.end.value);
        if (!(last_ > 0)) last_ = 1;
        sends_.resize(rows_);
        receives_.resize(rows_);
        const double scale = static_cast<double>(bins) / last_;
        for (std::size_t t = 0; t < times.size(); ++t) {
            const schedule::Transfer& transfer = plan_.schedule.transfers[t];
            sends_.at(transfer.from / nodes_per_row_)
                .add(times[t].start.value * scale, times[t].sent.value * scale);
            receives_.at(transfer.to / nodes_per_row_)
                .add(times[t].arrival.value * scale, times[t].end.value * scale);
        }
    }

    [[nodiscard]] double x_of(double time) const {
        return left_ + bin_width * static_cast<double>(bins) * time / last_;
    }
    [[nodiscard]] const std::string& name_of_row(std::size_t row) const {
        return plan_.schedule.nodes[row * nodes_per_row_];
    }
    [[nodiscard]] double names_width() const {
        double width = 0;
        for (std::size_t row = 0; row < rows_; ++row)
            width = std::max(width, text_width(name_of_row(row), name_size));
        return std::min(width, longest_name);
    }

    [[nodiscard]] double groups_width() const {
        constexpr double bold = 1.1;
        double width = 0;
        for (const LaneGroup& group : options_.groups)
            width = std::max(width, bold * text_width(group.name, Page::small_size) + 16);
        return width;
    }

    /// Those that are too low for a name, or too near to the one before, have none.
    void draw_groups(Svg& svg) const {
        if (options_.groups.empty()) return;
        constexpr double least_height = 2;
        const auto groups = svg.group({{"class", "groups"},
                                       {"font-size", Page::small_size},
                                       {"font-weight", "bold"},
                                       {"fill", palette::muted}});
        const auto y_of = [&](std::size_t node) {
            return top_ +
                   row_height * static_cast<double>(node) / static_cast<double>(nodes_per_row_);
        };
        double last_name = -infinity;
        double last_line = top_;
        std::size_t first = 0;
        for (const LaneGroup& group : options_.groups) {
            const double top = y_of(first);
            const double middle = (top + y_of(first + group.nodes)) / 2;
            if (top >= last_line + least_height) {
                svg.line(Page::padding, top, x_of(last_), top,
                         {{"stroke", palette::muted}, {"stroke-width", 0.8}});
                last_line = top;
            }
            if (group.nodes > 0 && middle >= last_name + Page::small_size) {
                svg.text(Page::padding, baseline(middle, Page::small_size), group.name);
                last_name = middle;
            }
            first += group.nodes;
        }
    }

    void draw_names(Svg& svg) const {
        const auto names = svg.group({{"class", "names"},
                                      {"font-size", name_size},
                                      {"text-anchor", "end"},
                                      {"fill", palette::ink}});
        for (std::size_t row = 0; row < rows_; ++row) {
            const std::string& name = name_of_row(row);
            if (text_width(name, name_size) <= longest_name)
                svg.text(left_ - between_plot_and_names,
                         baseline(top_ + (static_cast<double>(row) + 0.5) * row_height, name_size),
                         name);
        }
    }

    /// `offset`: of these cells in their row.
    void draw_cells(Svg& svg, const std::vector<BusyRow>& rows, std::string_view colour,
                    double offset) const {
        const auto cells = svg.group({{"class", "density"}, {"fill", colour}});
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const std::size_t nodes =
                std::min(nodes_per_row_, plan_.schedule.nodes.size() - row * nodes_per_row_);
            const auto busy = rows[row].means();
            const auto strength = [&](std::size_t bin) {
                const double part = std::min(1.0, busy.at(bin) / static_cast<double>(nodes));
                return part < 1e-9 ? 0
                                   : std::max(1, static_cast<int>(std::lround(part * strengths)));
            };
            for (std::size_t bin = 0; bin < bins;) {
                const int step = strength(bin);
                std::size_t end = bin + 1;
                while (end < bins && strength(end) == step) ++end;
                if (step > 0)
                    svg.rect(left_ + bin_width * static_cast<double>(bin),
                             top_ + row_height * static_cast<double>(row) + offset,
                             bin_width * static_cast<double>(end - bin), row_height / 2,
                             {{"fill-opacity", static_cast<double>(step) / strengths}});
                bin = end;
            }
        }
    }

    void draw_axis(Svg& svg) const {
        constexpr std::size_t most_ticks = 10;
        const bool own_unit = !options_.time_unit.empty();
        const auto axis = svg.group({{"class", "ticks"},
                                     {"font-size", Page::small_size},
                                     {"text-anchor", "middle"},
                                     {"fill", palette::muted}});
        svg.line(left_, bottom_, x_of(last_), bottom_, {{"stroke", palette::rule}});
        for (const Tick& tick : ticks({0, last_}, Scale::linear,
                                      own_unit ? AxisUnit::number : AxisUnit::seconds, most_ticks))
            svg.text(x_of(tick.value), bottom_ + 17,
                     own_unit ? tick.label + ' ' + options_.time_unit : tick.label);
    }

    void draw_markers(Svg& svg) const {
        const auto mark = [&](Seconds at, double y, const std::string& words,
                              std::string_view colour) {
            const double x = x_of(at.value);
            svg.line(x, y - 10, x, bottom_, {{"stroke", colour}, {"stroke-width", 1.5}});
            const bool fits = x - text_width(words, Page::small_size) - 6 > Page::padding;
            svg.text(fits ? x - 6 : x + 6, y, words,
                     {{"class", "marker"},
                      {"font-size", Page::small_size},
                      {"text-anchor", fits ? "end" : "start"},
                      {"fill", colour}});
        };
        mark(plan_.timeline.makespan, top_ - marker_space - 3,
             "makespan " + format_time(plan_.timeline.makespan, options_.time_unit),
             palette::orange);
        if (plan_.lower_bound.value > 0)
            mark(plan_.lower_bound, top_ - 3,
                 "lower bound " + format_time(plan_.lower_bound, options_.time_unit),
                 palette::green);
    }

    const schedule::Plan& plan_;
    const TimelineOptions& options_;
    Page page_;
    std::optional<PathLine> path_;
    std::size_t nodes_per_row_ = 1;
    std::size_t rows_ = 0;
    double last_ = 1;  ///< seconds
    std::vector<BusyRow> sends_;
    std::vector<BusyRow> receives_;
    double left_ = 0;
    double top_ = 0;
    double bottom_ = 0;
};

}  // namespace

bool is_crowd(const schedule::Plan& plan) {
    return std::max(plan.schedule.nodes.size(), plan.schedule.transfers.size()) > most_bars;
}

std::string density_svg(const schedule::Plan& plan, const TimelineOptions& options) {
    return DensityPicture(plan, options).draw();
}

std::string density_html(const schedule::Plan& plan, const TimelineOptions& options) {
    DensityPicture picture(plan, options);
    return begin_page(picture.title()) + "<main>\n<div class=\"picture\">\n" + picture.draw() +
           "</div>\n" + (options.origin.empty() ? "" : origin(options.origin)) + "</main>\n" +
           std::string(end_of_page);
}

}  // namespace espalier::report
