#include "report/columns_svg.hpp"

#include "report/axis.hpp"
#include "report/column_tracks.hpp"
#include "report/node_names.hpp"
#include "report/page.hpp"
#include "report/plan_text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

namespace espalier::report {

namespace {

using schedule::Plan;

constexpr double small_size = Page::small_size;
constexpr double most_label_size = NodeNames::label_size;
constexpr double least_label_size = 7;
constexpr double most_column_width = 120;
constexpr double least_column_width = 12;
constexpr double least_plot_height = 480;
constexpr double most_plot_height = 2600;
constexpr double height_of_a_message = 14;
constexpr double tick_spacing = 60;
constexpr double least_bar_height = 0.8;
constexpr double column_gap_share = 0.12;
constexpr std::ptrdiff_t most_overdue = 100;  // lines from deadlines to ends
constexpr std::string_view idle_pattern = "url(#espalier-idle)";
constexpr std::string_view late_pattern = "url(#espalier-late)";
constexpr std::string_view hatch_pattern = "url(#espalier-hatch)";

struct Box {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
    [[nodiscard]] double middle() const { return x + width / 2; }
};

class ColumnsPicture {
public:
    ColumnsPicture(const Plan& plan, const Analysis& analysis, View view,
                   const TimelineOptions& options)
        : plan_(plan),
          analysis_(analysis),
          options_(options),
          tracks_(column_tracks(plan)),
          sends_(view != View::receive_columns),
          receives_(view != View::columns) {
        check_groups();
        last_time_ = find_last_time();
        const Headline headline = headline_of(plan, options.time_unit);
        page_.title = options.title.empty() ? title_of(headline) : options.title;
        page_.subtitle = subtitle_of(headline);
        place();
        collect_legend();
        width_ = std::ceil(std::max(width_, page_.least_width()));
        top_ = page_.bottom(width_) + head_height_ + 6;
        bottom_ = top_ + plot_height_;
        height_ = std::ceil(bottom_ + Page::padding);
    }

    [[nodiscard]] std::string draw() const {
        Svg svg(width_, height_, page_.title);
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
    [[nodiscard]] bool both() const { return sends_ && receives_; }
    [[nodiscard]] bool has_bound() const { return plan_.lower_bound.value > 0; }
    [[nodiscard]] double find_last_time() const;
    [[nodiscard]] double y_of(double time) const {
        return AxisMap({0, last_time_}, {top_, bottom_})(time);
    }
    [[nodiscard]] double x_of(std::size_t node) const {
        return left_ + static_cast<double>(node) * column_width_;
    }
    [[nodiscard]] std::string time(Seconds value) const {
        return format_time(value, options_.time_unit);
    }
    [[nodiscard]] Box box_of(const Bar& bar) const;
    [[nodiscard]] bool is_segmented(std::size_t transfer) const {
        return plan_.schedule.segments_of(plan_.schedule.transfers[transfer]) > 1;
    }

    void check_groups() const;
    void place();
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
    /// All that this view shows.
    template <typename Use>
    void for_each_bar(Use use) const {
        if (receives_)
            for (const Bar& bar : tracks_.receives) use(bar);
        if (!sends_) return;
        for (const Bar& bar : tracks_.local) use(bar);
        for (const Bar& bar : tracks_.sends) use(bar);
    }

    const Plan& plan_;
    const Analysis& analysis_;
    const TimelineOptions& options_;
    ColumnTracks tracks_;
    bool sends_;
    bool receives_;
    std::optional<NodeNames> labels_;
    Page page_;
    double last_time_ = 0;  ///< seconds
    double width_ = 0;
    double height_ = 0;
    double left_ = 0;  ///< of the first column
    double top_ = 0;   ///< of time 0
    double bottom_ = 0;
    double column_width_ = 0;
    double head_height_ = 0;
    double plot_height_ = 0;
};

void ColumnsPicture::check_groups() const {
    if (options_.groups.empty()) return;
    std::size_t covered = 0;
    for (const LaneGroup& group : options_.groups) covered += group.nodes;
    if (covered != names().size())
        throw std::invalid_argument("the groups of columns do not cover the nodes");
}

double ColumnsPicture::find_last_time() const {
    double last = std::max(plan_.timeline.makespan.value, plan_.lower_bound.value);
    for_each_bar([&](const Bar& bar) { last = std::max(last, bar.end); });
    return last;
}

void ColumnsPicture::place() {
    const auto count = static_cast<double>(names().size());
    std::vector<std::size_t> messages(names().size(), 0);
    for_each_bar([&](const Bar& bar) { ++messages[bar.lane]; });
    const auto most = static_cast<double>(*std::ranges::max_element(messages));
    plot_height_ = std::clamp(most * height_of_a_message, least_plot_height, most_plot_height);

    // To the left of the plot stand the times, to its right the names of the lines across it.
    double axis_width = 0;
    const bool own_unit = !options_.time_unit.empty();
    for (const Tick& tick :
         ticks({0, last_time_}, Scale::linear, own_unit ? AxisUnit::number : AxisUnit::seconds, 30))
        axis_width =
            std::max(axis_width, text_width(tick.label + ' ' + options_.time_unit, small_size));
    left_ = Page::padding + axis_width + 10;
    double margin = text_width("makespan " + time(plan_.timeline.makespan), small_size);
    if (has_bound())
        margin = std::max(margin, text_width("lower bound " + time(plan_.lower_bound), small_size));
    margin += 14 + Page::padding;

    const double share = both() ? 2 : 1;
    const double number_width =
        text_width(std::to_string(names().size() - 1), least_label_size) + 5;
    column_width_ =
        std::clamp((options_.width - left_ - margin) / count,
                   share * std::max(least_column_width, number_width), share * most_column_width);
    const double room = column_width_ * (1 - column_gap_share) / share - 4;
    labels_.emplace(names(), room);
    head_height_ = labels_->head_height(column_width_) + (options_.groups.empty() ? 0 : 18);
    width_ = left_ + count * column_width_ + margin;
}

Box ColumnsPicture::box_of(const Bar& bar) const {
    const bool receive = bar.kind == Bar::Kind::receive;
    const double gap = column_width_ * column_gap_share;
    const double side = (column_width_ - gap) / (both() ? 2 : 1);
    const auto tracks =
        static_cast<double>((receive ? tracks_.receive_tracks : tracks_.send_tracks)[bar.lane]);
    const double y = y_of(bar.start);
    return {x_of(bar.lane) + gap / 2 + (both() && receive ? side : 0) +
                side * static_cast<double>(bar.track) / tracks,
            y, side / tracks, std::max(y_of(bar.end) - y, least_bar_height)};
}

void ColumnsPicture::collect_legend() {
    Legend& legend = page_.legend;
    const bool any = !tracks_.sends.empty();
    if (any && sends_)
        legend.add("send, labelled with its receiver", swatch(palette::blue, palette::blue));
    if (any && receives_)
        legend.add("receive, labelled with its sender", swatch(palette::light_blue, palette::blue));
    if (!analysis_.path.steps.empty())
        legend.add("critical path", swatch(palette::orange, palette::ink));
    if (analysis_.any_late())
        legend.add("misses its deadline", swatch(palette::purple, palette::purple, late_pattern));
    if (std::ranges::any_of(tracks_.sends, [&](const Bar& bar) { return is_segmented(bar.index); }))
        legend.add("in segments, first to last",
                   swatch(palette::blue, palette::blue, hatch_pattern));
    if (sends_ && !tracks_.local.empty())
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
    const auto stripes = [&](const char* id, double size, const char* turn, double stripe,
                             std::string_view colour, double opacity) {
        const auto pattern = svg.open("pattern", {{"id", id},
                                                  {"width", size},
                                                  {"height", size},
                                                  {"patternUnits", "userSpaceOnUse"},
                                                  {"patternTransform", turn}});
        svg.rect(0, 0, stripe, size, {{"fill", colour}, {"fill-opacity", opacity}});
    };
    stripes("espalier-hatch", 6, "rotate(45)", 2, palette::paper, 0.3);
    stripes("espalier-late", 5, "rotate(-45)", 1.5, palette::paper, 0.55);
    stripes("espalier-idle", 5, "rotate(45)", 1, palette::muted, 0.3);
}

void ColumnsPicture::draw_heads(Svg& svg) const {
    labels_->draw_heads(svg, column_width_, top_ - 8,
                        [&](std::size_t node) { return x_of(node) + column_width_ / 2; });
    if (options_.groups.empty()) return;
    const auto groups = svg.group({{"class", "groups"},
                                   {"font-size", small_size},
                                   {"font-weight", "bold"},
                                   {"fill", palette::muted}});
    std::size_t first = 0;
    for (const LaneGroup& group : options_.groups) {
        const double width = static_cast<double>(group.nodes) * column_width_;
        svg.text(x_of(first) + 2, top_ - head_height_ + 8, cut_to(group.name, small_size, width));
        if (first > 0)
            svg.line(x_of(first), top_ - head_height_, x_of(first), bottom_,
                     {{"stroke", palette::muted}, {"stroke-width", 0.8}});
        first += group.nodes;
    }
}

void ColumnsPicture::draw_idle(Svg& svg) const {
    const auto group = svg.group({{"class", "idle-times"}, {"fill", idle_pattern}});
    if (sends_) draw_idle_of(svg, tracks_.sends, "sends");
    if (receives_) draw_idle_of(svg, tracks_.receives, "receives");
}

/// Where no bar covers it, it shows.
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
        const Box box = box_of(whole);
        const auto& tracks = verb == "sends" ? tracks_.send_tracks : tracks_.receive_tracks;
        svg.rect(
            box.x, box.y, box.width * static_cast<double>(tracks[node]), box.height,
            {{"class", "idle"}, {"stroke", palette::rule}, {"stroke-width", 0.6}},
            fmt::format("{}: {} for {} until {}, idle for {}", names()[node], verb,
                        time(Seconds(busy)), time(Seconds(until)), time(Seconds(until - busy))));
    }
}

void ColumnsPicture::draw_axis(Svg& svg) const {
    const auto at_most =
        static_cast<std::size_t>(std::max(2.0, std::floor(plot_height_ / tick_spacing)));
    const bool own_unit = !options_.time_unit.empty();
    const double right = x_of(names().size());
    std::vector<Tick> marks = ticks({0, last_time_}, Scale::linear,
                                    own_unit ? AxisUnit::number : AxisUnit::seconds, at_most);
    {
        const auto grid =
            svg.group({{"class", "grid"}, {"stroke", palette::muted}, {"stroke-opacity", 0.35}});
        for (const Tick& tick : marks)
            svg.line(left_ - 4, y_of(tick.value), right, y_of(tick.value));
    }
    {
        const auto labels = svg.group({{"class", "ticks"},
                                       {"font-size", small_size},
                                       {"text-anchor", "end"},
                                       {"fill", palette::muted}});
        for (const Tick& tick : marks)
            svg.text(left_ - 8, baseline(y_of(tick.value), small_size),
                     own_unit ? tick.label + ' ' + options_.time_unit : tick.label);
    }
    const auto barriers =
        svg.group({{"class", "barriers"}, {"stroke", palette::muted}, {"stroke-dasharray", "2 3"}});
    for (const Seconds barrier : barrier_times(plan_))
        svg.line(left_, y_of(barrier.value), right, y_of(barrier.value), {{"class", "barrier"}});
}

void ColumnsPicture::draw_bars(Svg& svg) const {
    const auto bars = svg.group({{"class", "bars"}, {"stroke-width", 0.7}});
    for_each_bar([&](const Bar& bar) { draw_bar(svg, bar); });
}

void ColumnsPicture::draw_bar(Svg& svg, const Bar& bar) const {
    const Box box = box_of(bar);
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
                 {{"fill", late ? late_pattern : hatch_pattern}, {"pointer-events", "none"}});
}

/// From each transfer of the critical path to the next: where the one before is over, to where the
/// next begins.
void ColumnsPicture::draw_path(Svg& svg) const {
    const auto path = svg.group({{"class", "critical-path"},
                                 {"stroke", palette::ink},
                                 {"stroke-width", analysis_.path.steps.size() > 12 ? 1.0 : 1.4},
                                 {"fill", palette::ink}});
    const auto& steps = analysis_.path.steps;
    for (std::size_t s = 1; s < steps.size(); ++s) {
        const bool at_receiver = steps[s].bond == simulate::Bond::receiver;
        const bool at_sender = steps[s].bond == simulate::Bond::sender;
        const bool from_receive = receives_ && !(both() && at_sender);
        const bool to_receive = receives_ && (!sends_ || at_receiver);
        const Box from =
            box_of((from_receive ? tracks_.receives : tracks_.sends)[steps[s - 1].transfer]);
        const Box to = box_of((to_receive ? tracks_.receives : tracks_.sends)[steps[s].transfer]);
        if (std::abs(from.middle() - to.middle()) < 0.5) continue;
        // In a pipeline the next one begins while the one before lasts.
        const double over = std::min(from.y + from.height, std::max(from.y, to.y));
        svg.line(from.middle(), over, to.middle(), to.y, {{"class", "critical-link"}});
        svg.add("circle", {{"cx", to.middle()}, {"cy", to.y}, {"r", 2.2}});
    }
}

/// Many of these lines would hide each other.
void ColumnsPicture::draw_deadlines(Svg& svg) const {
    const auto count =
        std::ranges::count_if(analysis_.late, [](const auto& late) { return late.has_value(); });
    if (count > most_overdue) return;
    const auto deadlines =
        svg.group({{"class", "deadlines"}, {"stroke", palette::ink}, {"stroke-width", 1.6}});
    for_each_bar([&](const Bar& bar) {
        if (bar.kind == Bar::Kind::local || !analysis_.late[bar.index]) return;
        const Box box = box_of(bar);
        const Seconds due = plan_.timeline.transfers[bar.index].end - *analysis_.late[bar.index];
        const double x = box.x + box.width - 1;
        svg.line(x, y_of(due.value), x, box.y + box.height, {{"class", "overdue"}});
        svg.line(x - box.width / 3, y_of(due.value), x, y_of(due.value));
    });
}

void ColumnsPicture::draw_labels(Svg& svg) const {
    const auto labels = svg.group({{"class", "labels"}, {"text-anchor", "middle"}});
    for_each_bar([&](const Bar& bar) {
        if (bar.kind == Bar::Kind::local) {
            draw_label(svg, bar, plan_.schedule.local[bar.index].strategy);
            return;
        }
        const auto& transfer = plan_.schedule.transfers[bar.index];
        draw_label(svg, bar,
                   labels_->label(bar.kind == Bar::Kind::send ? transfer.to : transfer.from));
    });
}

void ColumnsPicture::draw_label(Svg& svg, const Bar& bar, const std::string& label) const {
    const Box box = box_of(bar);
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
    const double right = x_of(names().size());
    const auto markers = svg.group({{"class", "markers"}});
    const auto mark = [&](Seconds at, const std::string& label, std::string_view kind,
                          std::string_view colour, const char* dashes, double label_y) {
        const double y = y_of(at.value);
        svg.line(left_, y, right + 6, y,
                 {{"class", kind},
                  {"stroke", colour},
                  {"stroke-width", 1.5},
                  {"stroke-dasharray", dashes}});
        svg.text(right + 10, label_y, label,
                 {{"class", "marker"}, {"font-size", small_size}, {"fill", colour}});
    };
    const Seconds makespan = plan_.timeline.makespan;
    const double makespan_y = baseline(y_of(makespan.value), small_size);
    mark(makespan, "makespan " + time(makespan), "makespan", palette::orange, "none", makespan_y);
    if (!has_bound()) return;
    // The two names must not stand on each other.
    double bound_y = baseline(y_of(plan_.lower_bound.value), small_size);
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
