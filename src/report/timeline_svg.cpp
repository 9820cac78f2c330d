#include "report/timeline_svg.hpp"

#include "core/text.hpp"
#include "report/axis.hpp"
#include "report/marks.hpp"
#include "report/page.hpp"
#include "report/path_line.hpp"
#include "report/plan_text.hpp"
#include "report/timeline_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace espalier::report {

namespace {

using schedule::Op;
using schedule::Transfer;

constexpr double padding = Page::padding;
constexpr double inset = 6;  // of the text in a lane
constexpr double small_size = Page::small_size;
constexpr double bold = 1.1;  // bold type is wider by this
constexpr double marker_row = 17;
constexpr double axis_height = 22;
constexpr double least_plot_width = 480;
constexpr double most_name_size = 13;
constexpr double most_label_size = 11;
constexpr double least_label_size = 8;
constexpr double tick_spacing = 90;
constexpr double least_bar_width = 0.8;
constexpr std::size_t most_arrowheads = 150;

/// The look of a transfer's bars.
struct Look {
    std::string_view dark;
    std::string_view light;
    std::string_view prefix;  ///< before "sends" and "receives"
};
constexpr Look copy_look{palette::blue, palette::light_blue, ""};
constexpr Look combine_look{palette::purple, palette::light_purple, "combining "};
constexpr Look control_look{palette::grey, palette::light_grey, "control "};

class TimelinePicture {
public:
    TimelinePicture(const schedule::Plan& plan, const TimelineOptions& options)
        : plan_(plan), options_(options), layout_(lay_out(plan)) {
        options.check_groups(plan.schedule.nodes.size());
        if (options.critical_path) path_.emplace(plan);
        last_time_ = find_last_time();
        const Headline headline = headline_of(plan, options.time_unit);
        page_.title = options.title.empty() ? title_of(headline) : options.title;
        page_.subtitle = subtitle_of(headline);
        collect_legend();
        place();
    }

    [[nodiscard]] std::string draw() const {
        Svg svg(width_, height_, page_.title);
        draw_definitions(svg);
        page_.draw(svg, width_);
        draw_lanes(svg);
        draw_groups(svg);
        draw_axis(svg);
        draw_messages(svg);
        draw_bars(svg);
        if (path_)
            path_->draw(
                svg, [this](double time) { return x_of(time); },
                [this](std::size_t node) {
                    return lanes_top_ + layout_.lanes[node].top + layout_.lanes[node].height / 2;
                });
        draw_markers(svg);
        draw_labels(svg);
        return std::move(svg).finish();
    }

private:
    void collect_legend();
    void place();
    [[nodiscard]] bool has_bound() const { return plan_.lower_bound.value > 0; }
    [[nodiscard]] double find_last_time() const;
    [[nodiscard]] double x_of(double time) const {
        return AxisMap({0, last_time_}, {left_, right_})(time);
    }
    [[nodiscard]] double name_size() const;
    [[nodiscard]] const Look& look_of(std::size_t transfer) const;
    [[nodiscard]] bool is_segmented(std::size_t transfer) const {
        return plan_.schedule.segments_of(plan_.schedule.transfers[transfer]) > 1;
    }

    static void draw_definitions(Svg& svg);
    void draw_lanes(Svg& svg) const;
    void draw_groups(Svg& svg) const;
    void draw_axis(Svg& svg) const;
    void draw_messages(Svg& svg) const;
    void draw_bars(Svg& svg) const;
    void draw_transfer_bar(Svg& svg, const Bar& bar) const;
    void draw_labels(Svg& svg) const;
    void draw_label(Svg& svg, const Bar& bar, std::string_view label,
                    std::string_view ground) const;
    void draw_markers(Svg& svg) const;

    const schedule::Plan& plan_;
    const TimelineOptions& options_;
    TimelineLayout layout_;
    std::optional<PathLine> path_;
    double last_time_ = 0;  ///< seconds
    Page page_;
    double width_ = 0;
    double height_ = 0;
    double left_ = 0;  ///< of the plot
    double right_ = 0;
    double names_right_ = 0;
    double markers_top_ = 0;
    double lanes_top_ = 0;
    double lanes_bottom_ = 0;
};

const Look& TimelinePicture::look_of(std::size_t transfer) const {
    const Transfer& what = plan_.schedule.transfers[transfer];
    if (plan_.schedule.chunks[what.chunk].control) return control_look;
    return what.op == Op::combine ? combine_look : copy_look;
}

void TimelinePicture::collect_legend() {
    for (const Look* look : {&copy_look, &combine_look, &control_look}) {
        const auto looks_so = [&](const Bar& bar) { return &look_of(bar.index) == look; };
        if (std::ranges::none_of(layout_.sends, looks_so)) continue;
        page_.legend.add(fmt::format("{}sends", look->prefix), swatch(look->dark, look->dark));
        page_.legend.add(fmt::format("{}receives", look->prefix), swatch(look->light, look->dark));
    }
    const auto segmented = std::ranges::find_if(
        layout_.sends, [&](const Bar& bar) { return is_segmented(bar.index); });
    if (segmented != layout_.sends.end()) {
        const auto colour = look_of(segmented->index).dark;
        page_.legend.add("in segments, first to last", swatch(colour, colour, hatch_mark));
    }
    if (!layout_.local.empty())
        page_.legend.add(fmt::format("local {}", name_of(plan_.schedule.collective.kind)),
                         swatch(palette::amber, palette::dark_amber));
    if (!layout_.sends.empty())
        page_.legend.add("message, from its first byte", [](Svg& svg, double x, double middle) {
            svg.line(x, middle, x + Legend::sample_width, middle,
                     {{"stroke", palette::muted}, {"marker-end", arrow_mark}});
        });
    if (path_) PathLine::explain(page_.legend);
}

double TimelinePicture::name_size() const {
    double least = most_name_size;
    for (const Lane& lane : layout_.lanes) least = std::min(least, lane.height - 4);
    return least;
}

double TimelinePicture::find_last_time() const {
    double last =
        std::max({plan_.timeline.makespan.value, plan_.lower_bound.value, options_.until.value});
    for (const Bar& bar : layout_.sends) last = std::max(last, bar.end);
    for (const Bar& bar : layout_.receives) last = std::max(last, bar.end);
    for (const Bar& bar : layout_.local) last = std::max(last, bar.end);
    return last;
}

void TimelinePicture::place() {
    double groups_width = 0;
    for (const LaneGroup& group : options_.groups)
        groups_width = std::max(groups_width, bold * text_width(group.name, small_size) + 16);
    double names_width = 0;
    for (const std::string& name : plan_.schedule.nodes)
        names_width = std::max(names_width, text_width(name, name_size()));
    names_right_ = padding + inset + groups_width + names_width;
    left_ = names_right_ + 10;

    width_ = std::ceil(
        std::max({options_.width, left_ + least_plot_width + padding, page_.least_width()}));
    right_ = width_ - padding - 16;

    markers_top_ = page_.bottom(width_);
    lanes_top_ = markers_top_ + (has_bound() ? 2 : 1) * marker_row + axis_height;
    lanes_bottom_ = lanes_top_ + layout_.height;
    height_ = std::ceil(lanes_bottom_ + axis_height + 12);
}

void TimelinePicture::draw_definitions(Svg& svg) {
    const auto definitions = svg.open("defs");
    define_hatch(svg);
    define_arrow(svg);
}

void TimelinePicture::draw_lanes(Svg& svg) const {
    {
        const auto bands = svg.group({{"class", "lanes"}, {"fill", palette::band}});
        for (std::size_t node = 0; node < layout_.lanes.size(); node += 2)
            svg.rect(padding, lanes_top_ + layout_.lanes[node].top, right_ - padding,
                     layout_.lanes[node].height);
    }
    const double size = name_size();
    const auto names = svg.group(
        {{"class", "names"}, {"font-size", size}, {"text-anchor", "end"}, {"fill", palette::ink}});
    for (std::size_t node = 0; node < layout_.lanes.size(); ++node) {
        const Lane& lane = layout_.lanes[node];
        svg.text(names_right_, baseline(lanes_top_ + lane.top + lane.height / 2, size),
                 plan_.schedule.nodes[node]);
    }
}

void TimelinePicture::draw_groups(Svg& svg) const {
    if (options_.groups.empty()) return;
    const auto groups = svg.group({{"class", "groups"},
                                   {"font-size", small_size},
                                   {"font-weight", "bold"},
                                   {"fill", palette::muted}});
    std::size_t first = 0;
    for (const LaneGroup& group : options_.groups) {
        if (group.nodes == 0) continue;
        const Lane& top = layout_.lanes[first];
        const Lane& bottom = layout_.lanes[first + group.nodes - 1];
        const double middle = lanes_top_ + (top.top + bottom.top + bottom.height) / 2;
        svg.text(padding + inset, baseline(middle, small_size), group.name);
        if (first > 0)
            svg.line(padding, lanes_top_ + top.top, right_, lanes_top_ + top.top,
                     {{"stroke", palette::muted}, {"stroke-width", 0.8}});
        first += group.nodes;
    }
}

void TimelinePicture::draw_axis(Svg& svg) const {
    const auto at_most =
        static_cast<std::size_t>(std::max(2.0, std::floor((right_ - left_) / tick_spacing)));
    const bool own_unit = !options_.time_unit.empty();
    std::vector<Tick> marks = ticks({0, last_time_}, Scale::linear,
                                    own_unit ? AxisUnit::number : AxisUnit::seconds, at_most);
    for (Tick& tick : marks)
        if (own_unit) tick.label += ' ' + options_.time_unit;
    {
        const auto grid = svg.group({{"class", "grid"}, {"stroke", palette::rule}});
        for (const Tick& tick : marks)
            svg.line(x_of(tick.value), lanes_top_ - 4, x_of(tick.value), lanes_bottom_ + 4);
        svg.line(left_, lanes_top_, right_, lanes_top_);
        svg.line(left_, lanes_bottom_, right_, lanes_bottom_);
    }
    const auto labels = svg.group({{"class", "ticks"},
                                   {"font-size", small_size},
                                   {"text-anchor", "middle"},
                                   {"fill", palette::muted}});
    for (const Tick& tick : marks) {
        const double x = x_of(tick.value);
        const double clearance = text_width(tick.label, small_size) / 2 + 3;
        const auto clears = [&](double time) { return std::abs(x_of(time) - x) > clearance; };
        // The lines of the markers pass here.
        if (clears(plan_.timeline.makespan.value) &&
            (!has_bound() || clears(plan_.lower_bound.value)))
            svg.text(x, lanes_top_ - 8, tick.label);
        svg.text(x, lanes_bottom_ + 17, tick.label);
    }
}

void TimelinePicture::draw_messages(Svg& svg) const {
    const std::size_t count = layout_.sends.size();
    const double crowding = std::max(1.0, static_cast<double>(count) / 60);
    const auto messages =
        svg.group({{"class", "messages"},
                   {"stroke", palette::muted},
                   {"stroke-width", 1.0},
                   {"stroke-opacity", std::max(0.08, 0.7 / std::sqrt(crowding))}});
    for (std::size_t i = 0; i < count; ++i) {
        const Bar& send = layout_.sends[i];
        const Bar& receive = layout_.receives[i];
        const bool down = receive.lane > send.lane;
        const double from = layout_.top_of(send) + (down ? layout_.height_of(send) : 0);
        const double to = layout_.top_of(receive) + (down ? 0 : layout_.height_of(receive));
        const std::string_view arrow = count <= most_arrowheads ? arrow_mark : "none";
        svg.line(x_of(send.start), lanes_top_ + from, x_of(receive.start), lanes_top_ + to,
                 {{"marker-end", arrow}});
    }
}

void TimelinePicture::draw_transfer_bar(Svg& svg, const Bar& bar) const {
    const Look& look = look_of(bar.index);
    const bool send = bar.kind == Bar::Kind::send;
    const double x = x_of(bar.start);
    const double width = std::max(x_of(bar.end) - x, least_bar_width);
    const double y = lanes_top_ + layout_.top_of(bar);
    const double height = layout_.height_of(bar);
    // A light rim parts sends that follow each other; it would hide the thinnest.
    const std::string_view rim = send && width > 3 ? palette::paper : look.dark;
    const std::string tooltip = describe_transfer(plan_, bar.index, options_.time_unit);
    svg.rect(x, y, width, height,
             {{"class", send ? "send" : "receive"},
              {"data-transfer", std::to_string(bar.index)},
              {"fill", send ? look.dark : look.light},
              {"stroke", rim}},
             tooltip);
    if (is_segmented(bar.index))
        svg.rect(x, y, width, height, {{"fill", hatch_mark}, {"pointer-events", "none"}});
}

void TimelinePicture::draw_labels(Svg& svg) const {
    const schedule::Schedule& schedule = plan_.schedule;
    {
        const auto receivers = svg.group({{"text-anchor", "middle"}, {"fill", palette::paper}});
        for (const Bar& bar : layout_.sends)
            draw_label(svg, bar, schedule.nodes[schedule.transfers[bar.index].to],
                       is_segmented(bar.index) ? look_of(bar.index).dark : "none");
    }
    const auto strategies = svg.group({{"text-anchor", "middle"}, {"fill", palette::ink}});
    // Unit messages take both ends at once: upright arrows vanish behind the bars.
    if (!options_.time_unit.empty())
        for (const Bar& bar : layout_.receives)
            draw_label(svg, bar, schedule.nodes[schedule.transfers[bar.index].from], "none");
    for (const Bar& bar : layout_.local)
        draw_label(svg, bar, schedule.local[bar.index].strategy, "none");
}

/// `ground` hides a hatching behind the letters.
void TimelinePicture::draw_label(Svg& svg, const Bar& bar, std::string_view label,
                                 std::string_view ground) const {
    const double height = layout_.height_of(bar);
    const double size = std::min(most_label_size, height - 2);
    const double width = x_of(bar.end) - x_of(bar.start);
    const double letters = text_width(label, size);
    if (size < least_label_size || letters + 6 > width) return;
    const double x = x_of(bar.start) + width / 2;
    const double middle = lanes_top_ + layout_.top_of(bar) + height / 2;
    if (ground != "none")
        svg.rect(x - letters / 2, middle - height / 2 + 1, letters, height - 2,
                 {{"fill", ground}, {"pointer-events", "none"}});
    svg.text(x, baseline(middle, size), label,
             {{"class", "label"}, {"font-size", size}, {"pointer-events", "none"}});
}

void TimelinePicture::draw_bars(Svg& svg) const {
    const auto bars = svg.group({{"class", "bars"}, {"stroke-width", 0.7}});
    for (const Bar& bar : layout_.receives) draw_transfer_bar(svg, bar);
    for (const Bar& bar : layout_.local) {
        const double x = x_of(bar.start);
        svg.rect(x, lanes_top_ + layout_.top_of(bar), std::max(x_of(bar.end) - x, least_bar_width),
                 layout_.height_of(bar),
                 {{"class", "local"},
                  {"data-local", std::to_string(bar.index)},
                  {"fill", palette::amber},
                  {"stroke", palette::dark_amber}},
                 describe_local(plan_, bar.index, options_.time_unit));
    }
    for (const Bar& bar : layout_.sends) draw_transfer_bar(svg, bar);
}

void TimelinePicture::draw_markers(Svg& svg) const {
    const auto mark = [&](double time, double label_y, const std::string& label,
                          std::string_view kind, std::string_view colour, const char* dashes) {
        const double x = x_of(time);
        svg.line(x, label_y - 10, x, lanes_bottom_,
                 {{"class", kind},
                  {"stroke", colour},
                  {"stroke-width", 1.5},
                  {"stroke-dasharray", dashes}});
        const bool fits_left = x - text_width(label, small_size) - 6 > padding;
        svg.text(fits_left ? x - 6 : x + 6, label_y, label,
                 {{"class", "marker"},
                  {"font-size", small_size},
                  {"text-anchor", fits_left ? "end" : "start"},
                  {"fill", colour}});
    };
    const auto time = [&](Seconds value) { return format_time(value, options_.time_unit); };
    const auto markers = svg.group({{"class", "markers"}});
    if (has_bound())
        mark(plan_.lower_bound.value, markers_top_ + 2 * marker_row - 3,
             "lower bound " + time(plan_.lower_bound), "bound", palette::green, "5 3");
    mark(plan_.timeline.makespan.value, markers_top_ + marker_row - 3,
         "makespan " + time(plan_.timeline.makespan), "makespan", palette::orange, "none");
}

}  // namespace

void TimelineOptions::check_groups(std::size_t nodes) const {
    const auto covered =
        std::accumulate(groups.begin(), groups.end(), std::size_t{0},
                        [](std::size_t sum, const LaneGroup& group) { return sum + group.nodes; });
    if (!groups.empty() && covered != nodes)
        throw std::invalid_argument("the groups do not cover the nodes");
}

std::string timeline_svg(const schedule::Plan& plan, const TimelineOptions& options) {
    return TimelinePicture(plan, options).draw();
}

}  // namespace espalier::report
