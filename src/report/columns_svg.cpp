#include "report/columns_svg.hpp"

#include "report/columns_layout.hpp"
#include "report/marks.hpp"
#include "report/page.hpp"
#include "report/plan_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace espalier::report {

namespace {

using schedule::Plan;

constexpr double small_size = ColumnsLayout::small_size;
constexpr double least_label_size = ColumnsLayout::least_label_size;
constexpr double most_label_size = NodeNames::label_size;
constexpr double tick_spacing = 60;
constexpr std::ptrdiff_t most_overdue = 100;  // lines from deadlines to ends
constexpr std::string_view idle_pattern = "url(#espalier-idle)";
constexpr std::string_view late_pattern = "url(#espalier-late)";

class ColumnsPicture {
public:
    ColumnsPicture(const Plan& plan, const Analysis& analysis, View view,
                   const TimelineOptions& options)
        : plan_(plan), analysis_(analysis), options_(options), layout_(plan, view, options) {
        const Headline headline = headline_of(plan, options.time_unit);
        page_.title = options.title.empty() ? title_of(headline) : options.title;
        page_.subtitle = subtitle_of(headline);
        collect_legend();
        width_ = std::ceil(std::max(layout_.least_width(), page_.least_width()));
        layout_.move_to(page_.bottom(width_));
    }

    [[nodiscard]] std::string draw() const {
        Svg svg(width_, std::ceil(layout_.bottom() + Page::padding), page_.title);
        draw_definitions(svg);
        page_.draw(svg, width_);
        draw_heads(svg);
        draw_idle(svg);
        draw_axis(svg);
        draw_bars(svg);
        draw_path(svg);
        draw_deadlines(svg);
        draw_labels(svg);
        draw_markers(svg);
        return std::move(svg).finish();
    }

private:
    [[nodiscard]] const std::vector<std::string>& names() const { return plan_.schedule.nodes; }
    [[nodiscard]] bool has_bound() const { return plan_.lower_bound.value > 0; }
    [[nodiscard]] std::string time(Seconds value) const {
        return format_time(value, options_.time_unit);
    }
    [[nodiscard]] bool is_segmented(std::size_t transfer) const {
        return plan_.schedule.segments_of(plan_.schedule.transfers[transfer]) > 1;
    }

    void collect_legend();
    static void draw_definitions(Svg& svg);
    void draw_heads(Svg& svg) const;
    void draw_idle(Svg& svg) const;
    void draw_idle_of(Svg& svg, const std::vector<Bar>& bars, std::string_view verb) const;
    void draw_axis(Svg& svg) const;
    void draw_bars(Svg& svg) const;
    void draw_bar(Svg& svg, const Bar& bar) const;
    void draw_path(Svg& svg) const;
    void draw_deadlines(Svg& svg) const;
    void draw_labels(Svg& svg) const;
    void draw_label(Svg& svg, const Bar& bar, const std::string& label) const;
    void draw_markers(Svg& svg) const;

    const Plan& plan_;
    const Analysis& analysis_;
    const TimelineOptions& options_;
    ColumnsLayout layout_;
    Page page_;
    double width_ = 0;
};

void ColumnsPicture::collect_legend() {
    Legend& legend = page_.legend;
    const bool any = !layout_.tracks().sends.empty();
    if (any && layout_.sends())
        legend.add("send, labelled with its receiver", swatch(palette::blue, palette::blue));
    if (any && layout_.receives())
        legend.add("receive, labelled with its sender", swatch(palette::light_blue, palette::blue));
    if (!analysis_.path.steps.empty())
        legend.add("critical path", swatch(palette::orange, palette::ink));
    if (analysis_.any_late())
        legend.add("misses its deadline", swatch(palette::purple, palette::purple, late_pattern));
    if (std::ranges::any_of(layout_.tracks().sends,
                            [&](const Bar& bar) { return is_segmented(bar.index); }))
        legend.add("in segments, first to last", swatch(palette::blue, palette::blue, hatch_mark));
    if (layout_.sends() && !layout_.tracks().local.empty())
        legend.add(fmt::format("local {}", name_of(plan_.schedule.collective.kind)),
                   swatch(palette::amber, palette::dark_amber));
    legend.add("idle", swatch(palette::paper, palette::rule, idle_pattern));
    if (!plan_.schedule.barriers.empty())
        legend.add("barrier", [](Svg& svg, double x, double middle) {
            svg.line(x, middle, x + Legend::sample_width, middle,
                     {{"stroke", palette::muted}, {"stroke-dasharray", "2 3"}});
        });
}

void ColumnsPicture::draw_definitions(Svg& svg) {
    const auto definitions = svg.open("defs");
    define_hatch(svg);
    define_stripes(svg, "espalier-late", 5, -45, 1.5, palette::paper, 0.55);
    define_stripes(svg, "espalier-idle", 5, 45, 1, palette::muted, 0.3);
}

void ColumnsPicture::draw_heads(Svg& svg) const {
    layout_.names().draw_heads(
        svg, layout_.column_width(), layout_.top() - 8,
        [&](std::size_t node) { return layout_.x_of(node) + layout_.column_width() / 2; });
    if (options_.groups.empty()) return;
    const auto groups = svg.group({{"class", "groups"},
                                   {"font-size", small_size},
                                   {"font-weight", "bold"},
                                   {"fill", palette::muted}});
    std::size_t first = 0;
    for (const LaneGroup& group : options_.groups) {
        const double width = static_cast<double>(group.nodes) * layout_.column_width();
        svg.text(layout_.x_of(first) + 2, layout_.top() - layout_.head_height() + 8,
                 cut_to(group.name, small_size, width));
        if (first > 0)
            svg.line(layout_.x_of(first), layout_.top() - layout_.head_height(),
                     layout_.x_of(first), layout_.bottom(),
                     {{"stroke", palette::muted}, {"stroke-width", 0.8}});
        first += group.nodes;
    }
}

void ColumnsPicture::draw_idle(Svg& svg) const {
    const auto group = svg.group({{"class", "idle-times"}, {"fill", idle_pattern}});
    if (layout_.sends()) draw_idle_of(svg, layout_.tracks().sends, "sends");
    if (layout_.receives()) draw_idle_of(svg, layout_.tracks().receives, "receives");
}

/// Draws the time in which the node is idle, which shows where no bar covers it.
void ColumnsPicture::draw_idle_of(Svg& svg, const std::vector<Bar>& bars,
                                  std::string_view verb) const {
    std::vector<std::vector<std::pair<double, double>>> spans(names().size());
    for (const Bar& bar : bars) spans[bar.lane].emplace_back(bar.start, bar.end);
    for (std::size_t node = 0; node < spans.size(); ++node) {
        std::ranges::sort(spans[node]);
        double busy = 0;
        double until = 0;
        for (const auto& [start, end] : spans[node]) {
            busy += std::max(0.0, end - std::max(start, until));
            until = std::max(until, end);
        }
        if (!(until > 0)) continue;
        Bar whole = {bars.front().kind, 0, node, 0, until, 0};
        const Box box = layout_.box_of(whole);
        const auto& tracks =
            verb == "sends" ? layout_.tracks().send_tracks : layout_.tracks().receive_tracks;
        svg.rect(
            box.x, box.y, box.width * static_cast<double>(tracks[node]), box.height,
            {{"class", "idle"}, {"stroke", palette::rule}, {"stroke-width", 0.6}},
            fmt::format("{}: {} for {} until {}, idle for {}", names()[node], verb,
                        time(Seconds(busy)), time(Seconds(until)), time(Seconds(until - busy))));
    }
}

void ColumnsPicture::draw_axis(Svg& svg) const {
    const auto at_most = static_cast<std::size_t>(
        std::max(2.0, std::floor((layout_.bottom() - layout_.top()) / tick_spacing)));
    const bool own_unit = !options_.time_unit.empty();
    const double right = layout_.right();
    std::vector<Tick> marks = ticks(layout_.times(), Scale::linear,
                                    own_unit ? AxisUnit::number : AxisUnit::seconds, at_most);
    {
        const auto grid =
            svg.group({{"class", "grid"}, {"stroke", palette::muted}, {"stroke-opacity", 0.35}});
        for (const Tick& tick : marks)
            svg.line(layout_.left() - 4, layout_.y_of(tick.value), right, layout_.y_of(tick.value));
    }
    {
        const auto labels = svg.group({{"class", "ticks"},
                                       {"font-size", small_size},
                                       {"text-anchor", "end"},
                                       {"fill", palette::muted}});
        for (const Tick& tick : marks)
            svg.text(layout_.left() - 8, baseline(layout_.y_of(tick.value), small_size),
                     own_unit ? tick.label + ' ' + options_.time_unit : tick.label);
    }
    const auto barriers =
        svg.group({{"class", "barriers"}, {"stroke", palette::muted}, {"stroke-dasharray", "2 3"}});
    for (const Seconds barrier : barrier_times(plan_))
        svg.line(layout_.left(), layout_.y_of(barrier.value), right, layout_.y_of(barrier.value),
                 {{"class", "barrier"}});
}

void ColumnsPicture::draw_bars(Svg& svg) const {
    const auto bars = svg.group({{"class", "bars"}, {"stroke-width", 0.7}});
    layout_.for_each_bar([&](const Bar& bar) { draw_bar(svg, bar); });
}

void ColumnsPicture::draw_bar(Svg& svg, const Bar& bar) const {
    const Box box = layout_.box_of(bar);
    if (bar.kind == Bar::Kind::local) {
        svg.rect(box.x, box.y, box.width, box.height,
                 {{"class", "local"}, {"fill", palette::amber}, {"stroke", palette::dark_amber}},
                 describe_local(plan_, bar.index, options_.time_unit));
        return;
    }
    const bool send = bar.kind == Bar::Kind::send;
    const bool late = analysis_.late[bar.index].has_value();
    const bool critical = analysis_.is_critical(bar.index);
    std::string_view fill = send ? palette::blue : palette::light_blue;
    if (critical) fill = palette::orange;
    if (late) fill = palette::purple;
    // A light rim parts messages that follow each other; it would hide the thinnest.
    std::string_view rim = box.height > 3 && (send || late) ? palette::paper : palette::blue;
    if (critical) rim = late ? palette::orange : palette::ink;
    svg.rect(box.x, box.y, box.width, box.height,
             {{"class", send ? "send" : "receive"},
              {"data-transfer", std::to_string(bar.index)},
              {"data-critical", critical ? "true" : "false"},
              {"fill", fill},
              {"stroke", rim},
              {"stroke-width", critical && late && box.height > 3 ? 2.0 : 0.7}},
             explain_transfer(plan_, analysis_, bar.index, options_.time_unit));
    if (late || is_segmented(bar.index))
        svg.rect(box.x, box.y, box.width, box.height,
                 {{"fill", late ? late_pattern : hatch_mark}, {"pointer-events", "none"}});
}

/// Draws lines from each transfer of the critical path to the next: from the end of the one to the
/// beginning of the other.
void ColumnsPicture::draw_path(Svg& svg) const {
    const auto path = svg.group({{"class", "critical-path"},
                                 {"stroke", palette::ink},
                                 {"stroke-width", analysis_.path.steps.size() > 12 ? 1.0 : 1.4},
                                 {"fill", palette::ink}});
    const auto& steps = analysis_.path.steps;
    for (std::size_t s = 1; s < steps.size(); ++s) {
        const bool at_receiver = steps[s].bond == simulate::Bond::receiver;
        const bool at_sender = steps[s].bond == simulate::Bond::sender;
        const bool from_receive = layout_.receives() && !(layout_.both() && at_sender);
        const bool to_receive = layout_.receives() && (!layout_.sends() || at_receiver);
        const Box from =
            layout_.box_of((from_receive ? layout_.tracks().receives
                                         : layout_.tracks().sends)[steps[s - 1].transfer]);
        const Box to = layout_.box_of(
            (to_receive ? layout_.tracks().receives : layout_.tracks().sends)[steps[s].transfer]);
        if (std::abs(from.middle() - to.middle()) < 0.5) continue;
        // In a pipeline the next one begins while the one before lasts.
        const double over = std::min(from.y + from.height, std::max(from.y, to.y));
        svg.line(from.middle(), over, to.middle(), to.y, {{"class", "critical-link"}});
        svg.add("circle", {{"cx", to.middle()}, {"cy", to.y}, {"r", 2.2}});
    }
}

/// Draws the deadlines as lines, the fainter the more there are, since many would hide each other.
void ColumnsPicture::draw_deadlines(Svg& svg) const {
    const auto count =
        std::ranges::count_if(analysis_.late, [](const auto& late) { return late.has_value(); });
    if (count > most_overdue) return;
    const auto deadlines =
        svg.group({{"class", "deadlines"}, {"stroke", palette::ink}, {"stroke-width", 1.6}});
    layout_.for_each_bar([&](const Bar& bar) {
        if (bar.kind == Bar::Kind::local || !analysis_.late[bar.index]) return;
        const Box box = layout_.box_of(bar);
        const Seconds due = plan_.timeline.transfers[bar.index].end - *analysis_.late[bar.index];
        const double x = box.x + box.width - 1;
        svg.line(x, layout_.y_of(due.value), x, box.y + box.height, {{"class", "overdue"}});
        svg.line(x - box.width / 3, layout_.y_of(due.value), x, layout_.y_of(due.value));
    });
}

void ColumnsPicture::draw_labels(Svg& svg) const {
    const auto labels = svg.group({{"class", "labels"}, {"text-anchor", "middle"}});
    layout_.for_each_bar([&](const Bar& bar) {
        if (bar.kind == Bar::Kind::local) {
            draw_label(svg, bar, plan_.schedule.local[bar.index].strategy);
            return;
        }
        const auto& transfer = plan_.schedule.transfers[bar.index];
        draw_label(
            svg, bar,
            layout_.names().label(bar.kind == Bar::Kind::send ? transfer.to : transfer.from));
    });
}

void ColumnsPicture::draw_label(Svg& svg, const Bar& bar, const std::string& label) const {
    const Box box = layout_.box_of(bar);
    if (label.empty()) return;
    double size = std::min(most_label_size, box.height - 2);
    size = std::min(size, most_label_size * (box.width - 3) /
                              std::max(1e-9, text_width(label, most_label_size)));
    if (size < least_label_size) return;
    const bool transfer = bar.kind != Bar::Kind::local;
    const bool dark = transfer && (bar.kind == Bar::Kind::send ||
                                   analysis_.is_critical(bar.index) || analysis_.late[bar.index]);
    svg.text(box.middle(), baseline(box.y + box.height / 2, size), label,
             {{"class", "label"},
              {"font-size", size},
              {"fill", dark ? palette::paper : palette::ink},
              {"pointer-events", "none"}});
}

void ColumnsPicture::draw_markers(Svg& svg) const {
    const double right = layout_.right();
    const auto markers = svg.group({{"class", "markers"}});
    const auto mark = [&](Seconds at, const std::string& label, std::string_view kind,
                          std::string_view colour, const char* dashes, double label_y) {
        const double y = layout_.y_of(at.value);
        svg.line(layout_.left(), y, right + 6, y,
                 {{"class", kind},
                  {"stroke", colour},
                  {"stroke-width", 1.5},
                  {"stroke-dasharray", dashes}});
        svg.text(right + 10, label_y, label,
                 {{"class", "marker"}, {"font-size", small_size}, {"fill", colour}});
    };
    const Seconds makespan = plan_.timeline.makespan;
    const double makespan_y = baseline(layout_.y_of(makespan.value), small_size);
    mark(makespan, "makespan " + time(makespan), "makespan", palette::orange, "none", makespan_y);
    if (!has_bound()) return;
    // The two names must not stand on each other.
    double bound_y = baseline(layout_.y_of(plan_.lower_bound.value), small_size);
    if (bound_y > makespan_y - small_size - 4 && bound_y < makespan_y + small_size + 4)
        bound_y = makespan_y - small_size - 4;
    mark(plan_.lower_bound, "lower bound " + time(plan_.lower_bound), "bound", palette::green,
         "5 3", bound_y);
}

}  // namespace

std::string columns_svg(const Plan& plan, const Analysis& analysis, View view,
                        const TimelineOptions& options) {
    return ColumnsPicture(plan, analysis, view, options).draw();
}

}  // namespace espalier::report
