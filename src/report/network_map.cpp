#include "report/network_map.hpp"

#include "core/infinity.hpp"
#include "overview/units.hpp"
#include "report/label_places.hpp"
#include "report/legend.hpp"
#include "report/network_marks.hpp"
#include "report/network_places.hpp"
#include "report/node_names.hpp"
#include "report/strokes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace espalier::report {

namespace {

using overview::Capacity;
using overview::Overview;
using overview::Unit;

constexpr double label_size = 12;
constexpr double line_height = 14;
constexpr double longest_label = 150;
constexpr std::size_t most_labelled_edges = 10;
constexpr std::size_t most_counted = 24;  // groups whose number of nodes is written

class NetworkMap {
public:
    explicit NetworkMap(const Overview& overview)
        : overview_(overview),
          places_(network_places(overview)),
          strokes_(rates()),
          rate_(overview::rate_unit(overview, all_rates())) {
        lines_.resize(places_.spots.size());
        for (std::size_t s = 0; s < places_.spots.size(); ++s) lines_[s].push_back(name_of(s));
        marks_ = network_marks(overview, places_, rate_);
        for (std::size_t s = 0; s < lines_.size(); ++s)
            lines_[s].insert(lines_[s].end(), marks_.lines[s].begin(), marks_.lines[s].end());
        place_labels();
        make_legend();
    }

    [[nodiscard]] double width() const {
        return std::max(box_.right - box_.left, legend_.least_width());
    }
    [[nodiscard]] double height() const {
        return box_.bottom - box_.top + legend_.height(width()) + 8;
    }

    void draw(Svg& svg) const {
        {
            const auto map =
                svg.group({{"class", "map"},
                           {"transform", fmt::format("translate({} {})", coordinate(-box_.left),
                                                     coordinate(-box_.top))},
                           {"font-size", label_size}});
            draw_hulls(svg);
            draw_edges(svg);
            draw_spots(svg);
            draw_labels(svg);
        }
        legend_.draw(svg, 0, box_.bottom - box_.top + 8, width());
    }

private:
    [[nodiscard]] bool is_group(std::size_t spot) const {
        return places_.spots[spot].id < overview_.groups.size();
    }
    [[nodiscard]] std::string name_of(std::size_t spot) const {
        const std::size_t id = places_.spots[spot].id;
        if (!is_group(spot)) return overview_.routers[id - overview_.groups.size()];
        const overview::Group& group = overview_.groups[id];
        const std::string name = cut_to(group.name, label_size, longest_label);
        return overview_.nodes == overview_.groups.size() || places_.spots.size() > most_counted
                   ? name
                   : fmt::format("{} ({})", name, group.nodes);
    }
    /// The rates of the lines.
    [[nodiscard]] std::vector<double> rates() const {
        std::vector<double> found;
        for (const auto& [a, b, wire] : places_.edges) {
            if (places_.wires) {
                found.push_back(overview_.wires[wire].rate);
                continue;
            }
            for (const auto& rate : {rate_from(a, b), rate_from(b, a)})
                if (rate) found.push_back(*rate);
        }
        return found;
    }
    [[nodiscard]] std::vector<double> all_rates() const {
        std::vector<double> found = rates();
        for (const Capacity& capacity : overview_.capacities) found.push_back(capacity.rate);
        return found;
    }
    [[nodiscard]] std::optional<double> rate_from(std::size_t spot, std::size_t to) const {
        return overview_.rates(places_.spots[spot].id, places_.spots[to].id);
    }

    /// Whether a spot's name stands on the map.
    [[nodiscard]] bool is_labelled(std::size_t spot) const {
        constexpr std::size_t few = 30;
        constexpr std::size_t too_many = 200;
        return places_.spots.size() <= (is_group(spot) ? too_many : few);
    }

    void place_labels() {
        std::vector<Disc> discs;
        std::vector<Line> edges;
        std::vector<Label> labels;
        std::size_t most_lines = 1;
        for (std::size_t s = 0; s < places_.spots.size(); ++s) {
            discs.push_back({places_.spots[s].at, places_.spots[s].radius});
            if (!is_labelled(s)) continue;
            double width = 0;
            for (const std::string& line : lines_[s])
                width = std::max(width, text_width(line, label_size));
            labels.push_back({s, width});
            labelled_.push_back(s);
            most_lines = std::max(most_lines, lines_[s].size());
        }
        for (const auto& edge : places_.edges)
            edges.push_back({places_.spots[edge.a].at, places_.spots[edge.b].at});
        label_boxes_ =
            label_places(discs, edges, labels, static_cast<double>(most_lines) * line_height);
        box_ = {infinity, infinity, -infinity, -infinity};
        for (std::size_t s = 0; s < places_.spots.size(); ++s) include(disc_box(s, 0));
        for (const LabelBox& box : label_boxes_)
            include({box.left, box.top, box.right, box.bottom});
        if (!marks_.hulls.empty())
            box_ = {box_.left - 60, box_.top - 40, box_.right + 60, box_.bottom + 40};
        box_ = {box_.left - 6, box_.top - 6, box_.right + 6, box_.bottom + 6};
    }
    void include(const LabelBox& other) { box_ = joined(box_, other); }

    void make_legend() {
        const std::string noun = places_.wires ? "link" : "half a line: what its end sends";
        const auto sample = [this](double rate) {
            return [width = strokes_.width(rate), opacity = strokes_.opacity(rate)](
                       Svg& svg, double x, double middle) {
                svg.line(x, middle, x + Legend::sample_width, middle,
                         {{"stroke", palette::blue},
                          {"stroke-width", width},
                          {"stroke-opacity", opacity}});
            };
        };
        if (strokes_.greatest > 0) {
            legend_.add(fmt::format("{}, {}", noun, rate_.with_name(strokes_.least)),
                        sample(strokes_.least));
            if (strokes_.greatest > strokes_.least)
                legend_.add(rate_.with_name(strokes_.greatest), sample(strokes_.greatest));
        }
        if (!places_.wires && places_.spots.size() > 1)
            legend_.add(
                places_.every_pair ? "the longer the latency, the farther apart"
                                   : "the longer the latency, the farther apart; lines: "
                                     "the nearest to each other",
                [](Svg& svg, double x, double middle) {
                    svg.add("circle",
                            {{"cx", x + 4}, {"cy", middle}, {"r", 3}, {"fill", palette::blue}});
                    svg.add("circle",
                            {{"cx", x + 22}, {"cy", middle}, {"r", 3}, {"fill", palette::blue}});
                });
        if (!overview_.routers.empty())
            legend_.add("router", [](Svg& svg, double x, double middle) {
                svg.rect(x + 9, middle - 4, 8, 8, {{"fill", palette::grey}});
            });
        if (!places_.wires && !overview_.capacities.empty())
            legend_.add("shared capacity: ↑ of all that is sent, ↓ received, ↕ both",
                        [](Svg& svg, double x, double middle) {
                            svg.line(x + 13, middle - 7, x + 13, middle + 7,
                                     {{"stroke", palette::orange}, {"stroke-width", 4}});
                        });
    }

    void draw_hulls(Svg& svg) const {
        const auto group = svg.group({{"class", "hulls"}, {"stroke-linejoin", "round"}});
        for (const auto& [spots, hull] : marks_.hulls) {
            std::vector<Point> points;
            double radius = 0;
            for (const std::size_t s : spots) {
                points.push_back(places_.spots[s].at);
                radius = std::max(radius, places_.spots[s].radius);
            }
            std::string path;
            for (const Point& p : hull_of(std::move(points)))
                path += fmt::format("{}{} {}", path.empty() ? "M" : "L", coordinate(p.x),
                                    coordinate(p.y));
            const std::string_view colour = hull.capacity ? palette::orange : palette::grey;
            svg.add("path", {{"d", path + "Z"},
                             {"fill", colour},
                             {"stroke", colour},
                             {"stroke-width", 2 * radius + 16},
                             {"opacity", 0.13}});
        }
    }

    /// The words of a hull, above it, below it or at its sides, where they hide least.
    void label_hull(Svg& svg, const std::vector<std::size_t>& spots, const NetworkMarks::Hull& hull,
                    std::vector<LabelBox>& taken) const {
        LabelBox around{infinity, infinity, -infinity, -infinity};
        for (const std::size_t s : spots) around = joined(around, disc_box(s, 10));
        double width = 0;
        for (const std::string& line : hull.lines)
            width = std::max(width, 1.1 * text_width(line, label_size));
        const double height = line_height * static_cast<double>(hull.lines.size());
        const double x = (around.left + around.right - width) / 2;
        const double y = (around.top + around.bottom - height) / 2;
        const LabelBox box = freest({box_at(x, around.top - height - 2, width, height),
                                     box_at(x, around.bottom + 2, width, height),
                                     box_at(around.left - width - 4, y, width, height),
                                     box_at(around.right + 4, y, width, height)},
                                    taken);
        taken.push_back(box);
        double middle = box.top + line_height / 2;
        for (const std::string& line : hull.lines) {
            svg.text((box.left + box.right) / 2, baseline(middle, label_size), line,
                     {{"text-anchor", "middle"},
                      {"font-weight", "bold"},
                      {"fill", hull.capacity ? palette::orange : palette::muted}});
            middle += line_height;
        }
    }

    void draw_edges(Svg& svg) const {
        const auto group = svg.group({{"class", "edges"}, {"stroke", palette::blue}});
        for (const auto& [a, b, wire] : places_.edges) {
            if (places_.wires)
                draw_wire(svg, a, b, overview_.wires[wire]);
            else
                for (const auto& [from, to] : {std::pair(a, b), {b, a}}) draw_half(svg, from, to);
        }
        for (const NetworkMarks::Tick& tick : marks_.ticks) draw_tick(svg, tick);
    }

    static void draw_line(Svg& svg, const Point& from, const Point& to, double width,
                          double opacity, const std::string& tip) {
        svg.add("path",
                {{"d", fmt::format("M{} {}L{} {}", coordinate(from.x), coordinate(from.y),
                                   coordinate(to.x), coordinate(to.y))},
                 {"stroke-width", width},
                 {"stroke-opacity", opacity}},
                tip);
    }

    void draw_wire(Svg& svg, std::size_t a, std::size_t b, const overview::Wire& wire) const {
        draw_line(svg, places_.spots[a].at, places_.spots[b].at, strokes_.width(wire.rate),
                  strokes_.opacity(wire.rate),
                  fmt::format("{}: bandwidth {}, latency {}", wire.name, rate_.with_name(wire.rate),
                              Unit().number(wire.latency)));
    }

    void draw_half(Svg& svg, std::size_t from, std::size_t to) const {
        const Point& a = places_.spots[from].at;
        const Point& b = places_.spots[to].at;
        const auto rate = rate_from(from, to);
        const auto latency = overview_.latencies(places_.spots[from].id, places_.spots[to].id);
        std::string tip = fmt::format("{} to {}: ", overview_.groups[places_.spots[from].id].name,
                                      overview_.groups[places_.spots[to].id].name);
        tip += latency ? "latency " + time_of(*latency) : "latency not known";
        tip += rate ? ", " + rate_.with_name(*rate) : ", rate not known";
        draw_line(svg, a, {(a.x + b.x) / 2, (a.y + b.y) / 2}, rate ? strokes_.width(*rate) : 1,
                  rate ? strokes_.opacity(*rate) : 0.3, tip);
    }

    void draw_tick(Svg& svg, const NetworkMarks::Tick& tick) const {
        const Point& a = places_.spots[tick.from].at;
        const Point& b = places_.spots[tick.to].at;
        const double part = tick.capacity->both ? 0.5 : 0.3;
        const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
        const Point middle{a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)};
        const Point across{-8 * (b.y - a.y) / length, 8 * (b.x - a.x) / length};
        svg.add("path",
                {{"d", fmt::format("M{} {}L{} {}", coordinate(middle.x - across.x),
                                   coordinate(middle.y - across.y), coordinate(middle.x + across.x),
                                   coordinate(middle.y + across.y))},
                 {"stroke", palette::orange},
                 {"stroke-width", 4}},
                fmt::format("{}: {}, shared by {}", tick.capacity->name,
                            rate_.with_name(tick.capacity->rate),
                            who_shares(overview_, *tick.capacity)));
    }

    [[nodiscard]] std::string time_of(double time) const {
        return overview::time_unit(overview_, {time}).with_name(time);
    }

    void draw_spots(Svg& svg) const {
        const auto group = svg.group({{"class", "spots"},
                                      {"fill", palette::blue},
                                      {"stroke", palette::paper},
                                      {"stroke-width", 1.5}});
        for (std::size_t s = 0; s < places_.spots.size(); ++s) {
            const auto& spot = places_.spots[s];
            if (is_group(s))
                svg.add("circle", {{"cx", spot.at.x}, {"cy", spot.at.y}, {"r", spot.radius}},
                        overview_.groups[spot.id].name);
            else
                svg.rect(spot.at.x - spot.radius, spot.at.y - spot.radius, 2 * spot.radius,
                         2 * spot.radius, {{"fill", palette::grey}}, name_of(s));
        }
    }

    void draw_labels(Svg& svg) const {
        const auto group = svg.group({{"class", "labels"},
                                      {"fill", palette::ink},
                                      {"stroke", palette::paper},
                                      {"stroke-width", 5},  // as wide as a line below
                                      {"stroke-linejoin", "round"},
                                      {"paint-order", "stroke"}});
        std::vector<LabelBox> taken;
        for (std::size_t s = 0; s < places_.spots.size(); ++s) taken.push_back(disc_box(s, 0));
        for (std::size_t i = 0; i < labelled_.size(); ++i) {
            const auto& lines = lines_[labelled_[i]];
            const LabelBox& box = label_boxes_[i];
            // The lines stand in the middle of the room that the longest label has.
            double y = (box.top + box.bottom) / 2 -
                       line_height * static_cast<double>(lines.size() - 1) / 2;
            const double x = (box.left + box.right) / 2;
            for (std::size_t line = 0; line < lines.size(); ++line, y += line_height)
                svg.text(x, baseline(y, label_size), lines[line],
                         {{"text-anchor", "middle"},
                          {"fill", line == 0 ? palette::ink : palette::orange}});
            taken.push_back(box);
        }
        for (const auto& [spots, hull] : marks_.hulls) label_hull(svg, spots, hull, taken);
        if (places_.wires || places_.edges.size() > most_labelled_edges) return;
        for (const auto& edge : places_.edges) label_edge(svg, edge, taken);
    }

    /// Writes the latencies of both directions where they hide least.
    void label_edge(Svg& svg, const NetworkPlaces::Edge& edge, std::vector<LabelBox>& taken) const {
        const auto& a = places_.spots[edge.a];
        const auto& b = places_.spots[edge.b];
        const auto there = overview_.latencies(a.id, b.id);
        const auto back = overview_.latencies(b.id, a.id);
        constexpr double alike = 0.05;
        std::string words = time_of(there.value_or(back.value_or(0)));
        if (there && back && std::abs(*there - *back) > alike * std::max(*there, *back))
            words = fmt::format("{}, back {}", words, time_of(*back));
        const double width = text_width(words, 11);
        std::vector<LabelBox> boxes;
        for (const double part : {0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72})
            boxes.push_back(box_at(a.at.x + part * (b.at.x - a.at.x) - width / 2,
                                   a.at.y + part * (b.at.y - a.at.y) - 7, width, 14));
        const LabelBox best = freest(boxes, taken);
        taken.push_back(best);
        svg.text((best.left + best.right) / 2, baseline((best.top + best.bottom) / 2, 11), words,
                 {{"text-anchor", "middle"}, {"font-size", 11}, {"fill", palette::muted}});
    }

    static LabelBox box_at(double left, double top, double width, double height) {
        return {left, top, left + width, top + height};
    }
    static LabelBox joined(const LabelBox& a, const LabelBox& b) {
        return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
                std::max(a.bottom, b.bottom)};
    }
    [[nodiscard]] LabelBox disc_box(std::size_t spot, double margin) const {
        const auto& [at, radius, id] = places_.spots[spot];
        const double half = radius + margin;
        return {at.x - half, at.y - half, at.x + half, at.y + half};
    }

    const Overview& overview_;
    NetworkPlaces places_;
    Strokes strokes_;
    Unit rate_;
    std::vector<std::vector<std::string>> lines_;  ///< of each spot's label
    NetworkMarks marks_;
    std::vector<std::size_t> labelled_;
    std::vector<LabelBox> label_boxes_;
    LabelBox box_{};
    Legend legend_;
};

}  // namespace

Panel map_panel(const Overview& overview) {
    const auto map = std::make_shared<const NetworkMap>(overview);
    return {map->width(), map->height(), [map](Svg& svg) { map->draw(svg); }};
}

}  // namespace espalier::report
