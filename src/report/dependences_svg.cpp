#include "report/dependences_svg.hpp"

#include "report/marks.hpp"
#include "report/node_names.hpp"
#include "report/page.hpp"
#include "report/plan_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace espalier::report {

namespace {

using schedule::Plan;
using simulate::Bond;
using simulate::Dependence;

constexpr double most_name_width = 80;
constexpr double box_height = 18;
constexpr double roomy_row = 46;  // pixels from row to row, where there are few
constexpr double tight_row = 30;
constexpr std::size_t few_rows = 40;
constexpr std::size_t most_arrowheads = 3000;

constexpr std::array strokes{
    BondStroke{Bond::sender, "next of the same sender", palette::muted, "none"},
    BondStroke{Bond::receiver, "next of the same receiver", palette::blue, "none"},
    BondStroke{Bond::data, "passes its data on", palette::green, "none"},
    BondStroke{Bond::answer, "answers it", palette::green, "4 2"},
    BondStroke{Bond::barrier, "barrier", palette::muted, "2 3"},
    BondStroke{Bond::buffer, "makes room for it", palette::purple, "4 2"},
    BondStroke{Bond::turn, "begins before it", palette::grey, "1 2"},
};

class DependencesPicture {
public:
    DependencesPicture(const Plan& plan, const Analysis& analysis, const TimelineOptions& options)
        : plan_(plan),
          analysis_(analysis),
          options_(options),
          rows_(depths(analysis.dependences)),
          names_(plan.schedule.nodes, most_name_width) {
        const Headline headline = headline_of(plan, options.time_unit);
        page_.title =
            "Dependences: " + (options.title.empty() ? title_of(headline) : options.title);
        page_.subtitle = subtitle_of(headline);
        collect_legend();
        place();
    }

    [[nodiscard]] std::string draw() const {
        Svg svg(width_, height_, page_.title);
        draw_definitions(svg);
        page_.draw(svg, width_);
        names_.draw_heads(svg, pitch_, top_ - 8, [&](std::size_t node) { return x_of(node); });
        draw_edges(svg);
        draw_path(svg);
        draw_nodes(svg);
        return std::move(svg).finish();
    }

private:
    [[nodiscard]] double x_of(std::size_t node) const {
        return left_ + (static_cast<double>(node) + 0.5) * pitch_;
    }
    [[nodiscard]] double y_of(std::size_t transfer) const {
        return top_ + (static_cast<double>(rows_[transfer]) + 0.5) * row_height_;
    }
    [[nodiscard]] double middle_of(std::size_t transfer) const {
        return x_of(plan_.schedule.transfers[transfer].from);
    }
    void collect_legend();
    void place();
    static void draw_definitions(Svg& svg);
    void draw_edges(Svg& svg) const;
    void draw_edge(Svg& svg, std::size_t from, std::size_t to, Svg::Attributes attributes) const;
    void draw_path(Svg& svg) const;
    void draw_nodes(Svg& svg) const;

    const Plan& plan_;
    const Analysis& analysis_;
    const TimelineOptions& options_;
    std::vector<std::size_t> rows_;
    NodeNames names_;
    Page page_;
    std::size_t edges_ = 0;
    double width_ = 0;
    double height_ = 0;
    double left_ = 0;
    double top_ = 0;
    double pitch_ = 0;  ///< from column to column
    double row_height_ = 0;
    double box_width_ = 0;
};

void DependencesPicture::collect_legend() {
    std::set<Bond> bonds;
    for (std::size_t t = 0; t < rows_.size(); ++t)
        for (const Dependence& need : analysis_.dependences.of(t)) {
            bonds.insert(need.bond);
            ++edges_;
        }
    page_.legend.add("message, labelled with its receiver",
                     swatch(palette::light_blue, palette::blue));
    for (const BondStroke& stroke : strokes)
        if (bonds.contains(stroke.bond))
            page_.legend.add(std::string(stroke.words), [&](Svg& svg, double x, double middle) {
                svg.line(x, middle, x + Legend::sample_width, middle,
                         {{"stroke", stroke.colour}, {"stroke-dasharray", stroke.dashes}});
            });
    if (!analysis_.path.steps.empty())
        page_.legend.add("critical path", swatch(palette::orange, palette::ink));
    if (analysis_.any_late())
        page_.legend.add("misses its deadline", swatch(palette::purple, palette::ink));
}

void DependencesPicture::place() {
    const std::size_t nodes = plan_.schedule.nodes.size();
    double widest = 0;
    for (std::size_t node = 0; node < nodes; ++node)
        widest = std::max(widest, text_width(names_.label(node), NodeNames::label_size));
    box_width_ = widest + 10;
    const std::size_t rows = rows_.empty() ? 0 : *std::ranges::max_element(rows_) + std::size_t{1};
    row_height_ = rows <= few_rows ? roomy_row : tight_row;
    pitch_ = box_width_ + (rows <= few_rows ? 30 : 14);
    const double plot = static_cast<double>(nodes) * pitch_;
    width_ = std::ceil(std::max(plot + 2 * Page::padding, page_.least_width()));
    left_ = (width_ - plot) / 2;
    top_ = page_.bottom(width_) + names_.head_height(pitch_) + 6;
    height_ = std::ceil(top_ + static_cast<double>(rows) * row_height_ + Page::padding);
}

void DependencesPicture::draw_definitions(Svg& svg) {
    const auto definitions = svg.open("defs");
    define_arrow(svg);
}

/// Draws an edge from the lower border of one box to the upper border of another.
void DependencesPicture::draw_edge(Svg& svg, std::size_t from, std::size_t to,
                                   Svg::Attributes attributes) const {
    svg.line(middle_of(from), y_of(from) + box_height / 2, middle_of(to), y_of(to) - box_height / 2,
             attributes);
}

void DependencesPicture::draw_edges(Svg& svg) const {
    const std::string_view arrow = edges_ <= most_arrowheads ? arrow_mark : "none";
    // More are the paler, so that messages and the critical path stand out among them.
    constexpr double readable = 400;
    constexpr double palest = 0.15;
    const double strength = std::clamp(readable / static_cast<double>(edges_), palest, 1.0);
    const auto group =
        svg.group({{"class", "edges"}, {"stroke-width", 0.9}, {"stroke-opacity", strength}});
    for (std::size_t t = 0; t < rows_.size(); ++t)
        for (const Dependence& need : analysis_.dependences.of(t)) {
            const BondStroke& stroke = stroke_of(need.bond);
            draw_edge(svg, need.transfer, t,
                      {{"class", "edge"},
                       {"data-from", std::to_string(need.transfer)},
                       {"data-to", std::to_string(t)},
                       {"stroke", stroke.colour},
                       {"stroke-dasharray", stroke.dashes},
                       {"marker-end", arrow}});
        }
}

void DependencesPicture::draw_path(Svg& svg) const {
    const auto group =
        svg.group({{"class", "critical-path"}, {"stroke", palette::orange}, {"stroke-width", 3.0}});
    const auto& steps = analysis_.path.steps;
    for (std::size_t s = 1; s < steps.size(); ++s)
        draw_edge(svg, steps[s - 1].transfer, steps[s].transfer, {{"class", "critical-link"}});
}

void DependencesPicture::draw_nodes(Svg& svg) const {
    const auto group = svg.group(
        {{"class", "messages"}, {"font-size", NodeNames::label_size}, {"text-anchor", "middle"}});
    for (std::size_t t = 0; t < rows_.size(); ++t) {
        const bool critical = analysis_.is_critical(t);
        const bool late = analysis_.late[t].has_value();
        std::string_view fill = palette::light_blue;
        if (critical) fill = palette::orange;
        if (late) fill = palette::purple;
        svg.rect(middle_of(t) - box_width_ / 2, y_of(t) - box_height / 2, box_width_, box_height,
                 {{"class", "message"},
                  {"data-transfer", std::to_string(t)},
                  {"data-critical", critical ? "true" : "false"},
                  {"rx", 4.0},
                  {"fill", fill},
                  {"stroke", critical ? palette::ink : palette::blue}},
                 explain_transfer(plan_, analysis_, t, options_.time_unit));
        svg.text(middle_of(t), baseline(y_of(t), NodeNames::label_size),
                 names_.label(plan_.schedule.transfers[t].to),
                 {{"class", "label"},
                  {"fill", critical || late ? palette::paper : palette::ink},
                  {"pointer-events", "none"}});
    }
}

}  // namespace

const BondStroke& stroke_of(Bond bond) {
    const auto* const found = std::ranges::find(strokes, bond, &BondStroke::bond);
    return found == strokes.end() ? strokes.front() : *found;
}

std::vector<std::size_t> depths(const simulate::Dependences& graph) {
    const std::size_t size = graph.size();
    std::vector<std::size_t> waits(size, 0);
    std::vector<std::vector<std::size_t>> next(size);
    for (std::size_t t = 0; t < size; ++t)
        for (const Dependence& need : graph.of(t)) {
            next[need.transfer].push_back(t);
            ++waits[t];
        }
    std::vector<std::size_t> depth(size, 0);
    std::vector<std::size_t> ready;
    for (std::size_t t = 0; t < size; ++t)
        if (waits[t] == 0) ready.push_back(t);
    // Times that a file states may contradict each other: those in a circle stay at the top.
    while (!ready.empty()) {
        const std::size_t t = ready.back();
        ready.pop_back();
        for (const std::size_t later : next[t]) {
            depth[later] = std::max(depth[later], depth[t] + 1);
            if (--waits[later] == 0) ready.push_back(later);
        }
    }
    return depth;
}

std::string dependences_svg(const Plan& plan, const Analysis& analysis,
                            const TimelineOptions& options) {
    return DependencesPicture(plan, analysis, options).draw();
}

}  // namespace espalier::report
