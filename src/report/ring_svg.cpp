#include "report/ring_svg.hpp"

#include "report/legend.hpp"
#include "report/ring_picture.hpp"
#include "report/ring_text.hpp"
#include "report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace espalier::report {

namespace {

using network::LinksNetwork;
using Edge = RingPicture::Edge;
using Strand = RingPicture::Strand;
using Vertex = RingPicture::Vertex;
using What = RingPicture::What;

constexpr double label_size = 11;
constexpr double side_margin = 24;
constexpr double header_height = 66;
constexpr double least_band = 4;
constexpr double widest_band = 12;
/// Discs that hold a number; others have it beside them.
constexpr double roomy = 9;
constexpr std::string_view way_colour = "#00568c";

/// From what is not used, over little, to all of it.
std::string colour_of(double part) {
    struct Stop {
        double part;
        std::array<double, 3> rgb;
    };
    constexpr std::array<Stop, 4> stops{
        {{0, {253, 243, 208}}, {0.4, {248, 205, 116}}, {0.8, {236, 140, 60}}, {1, {222, 80, 42}}}};
    if (part <= 0) return std::string(palette::rule);
    const double at = std::min(part, 1.0);
    std::size_t next = 1;
    while (next + 1 < stops.size() && stops.at(next).part < at) ++next;
    const Stop& from = stops.at(next - 1);
    const Stop& to = stops.at(next);
    const double mix = (at - from.part) / (to.part - from.part);
    const auto channel = [&](std::size_t i) {
        return static_cast<int>(
            std::lround(from.rgb.at(i) + mix * (to.rgb.at(i) - from.rgb.at(i))));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

std::string percent(double part) { return fmt::format("{:.3g}%", 100 * part); }

struct Box {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;
};
double overlap(const Box& a, const Box& b) {
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    return width > 0 && height > 0 ? width * height : 0;
}

class Drawing {
public:
    Drawing(const schedule::Ring& ring, const LinksNetwork& network)
        : ring_(ring), network_(network), picture_(picture_of(ring, network)) {
        for (const LinksNetwork::Link& link : network.links) {
            narrowest_ = std::min(narrowest_, link.bandwidth.value);
            widest_ = std::max(widest_, link.bandwidth.value);
        }
        add_legend();
    }

    std::string svg() {
        const std::string title = title_of(ring_, network_);
        const std::string subtitle = subtitle_of(ring_);
        const double inner = std::max({picture_.width, text_width(subtitle, 13),
                                       text_width(title, 19), 480.0, legend_.least_width()});
        const double width = inner + 2 * side_margin;
        const double legend_height = legend_.height(inner);
        const double height = header_height + picture_.height + legend_height + side_margin;
        Svg svg(width, height, title + "; " + subtitle);
        svg.text(side_margin, 34, title,
                 {{"font-size", 19}, {"font-weight", "bold"}, {"fill", palette::ink}});
        svg.text(side_margin, 56, subtitle, {{"font-size", 13}, {"fill", palette::muted}});
        {
            const auto platform =
                svg.group({{"class", "platform"},
                           {"transform", fmt::format("translate({} {})",
                                                     coordinate((width - picture_.width) / 2),
                                                     coordinate(header_height))}});
            draw_links(svg);
            draw_routers(svg);
            draw_strands(svg);
            draw_hosts(svg);
            draw_labels(svg);
        }
        legend_.draw(svg, side_margin, header_height + picture_.height, inner);
        return std::move(svg).finish();
    }

private:
    [[nodiscard]] double band_of(double bandwidth) const {
        if (widest_ <= narrowest_ * 1.001) return (least_band + widest_band) / 2;
        const double part = std::log(bandwidth / narrowest_) / std::log(widest_ / narrowest_);
        return least_band + part * (widest_band - least_band);
    }

    [[nodiscard]] std::string name_of(const Vertex& vertex) const {
        return vertex.what == What::link ? network_.links[vertex.id].name
                                         : network_.nodes[vertex.id].name;
    }

    [[nodiscard]] std::string tip_of_link(std::size_t id) const {
        const LinksNetwork::Link& link = network_.links[id];
        const LinkUse& use = picture_.use[id];
        std::string out =
            fmt::format("{}: bandwidth {}", link.name, format_number(link.bandwidth.value));
        if (link.latency.value > 0)
            out += fmt::format(", latency {}", format_number(link.latency.value));
        if (link.kind == LinksNetwork::Kind::backbone) out += ", backbone";
        if (link.kind == LinksNetwork::Kind::directed) out += ", one way";
        if (use.paths == 0) return out + "; no path crosses it";
        return out + fmt::format("; {} crossing, {} of it",
                                 use.paths == 1 ? std::string("1 path")
                                                : fmt::format("{} paths", use.paths),
                                 percent(use.part));
    }

    void draw_links(Svg& svg) {
        const auto group = svg.group({{"class", "links"}, {"stroke-linecap", "round"}});
        // Those in use on top.
        for (const bool used : {false, true})
            for (const Edge& edge : picture_.edges) {
                if (edge.link && (picture_.use[*edge.link].paths > 0) == used)
                    draw_link(svg, edge, *edge.link);
                if (!edge.link && !used) draw_joint(svg, edge);
            }
    }

    void draw_link(Svg& svg, const Edge& edge, std::size_t id) const {
        const LinkUse& use = picture_.use[id];
        const Point a = picture_.start_of(edge, 0);
        const Point b = picture_.end_of(edge, 0);
        // What lies under its paths has to be seen.
        const double band = std::max(band_of(network_.links[id].bandwidth.value),
                                     static_cast<double>(edge.lanes) * RingPicture::lane_width + 3);
        const bool backbone = network_.links[id].kind == LinksNetwork::Kind::backbone;
        const auto link =
            svg.group({{"class", use.paths > 0 ? "link used" : "link"},
                       {"stroke", use.paths > 0 ? colour_of(use.part) : std::string(palette::rule)},
                       {"fill", "none"}});
        const std::string way = fmt::format("M{} {}L{} {}", coordinate(a.x), coordinate(a.y),
                                            coordinate(b.x), coordinate(b.y));
        svg.add("path", {{"d", way}, {"stroke-width", band}}, tip_of_link(id));
        if (backbone)
            svg.add("path", {{"d", way},
                             {"stroke", palette::paper},
                             {"stroke-width", std::max(1.0, band / 3)}});
    }

    /// To and from a link without ends.
    void draw_joint(Svg& svg, const Edge& edge) const {
        const Point a = picture_.start_of(edge, 0);
        const Point b = picture_.end_of(edge, 0);
        svg.line(a.x, a.y, b.x, b.y,
                 {{"class", "joint"}, {"stroke", palette::rule}, {"stroke-width", 2}});
    }

    void draw_routers(Svg& svg) const {
        const auto group = svg.group({{"class", "routers"}});
        for (const Vertex& vertex : picture_.vertices) {
            const double r = vertex.radius;
            if (vertex.what == What::router)
                svg.rect(vertex.at.x - r, vertex.at.y - r, 2 * r, 2 * r,
                         {{"class", "router"}, {"rx", 1.5}, {"fill", "#9aa5b1"}}, name_of(vertex));
            if (vertex.what == What::link) {
                const LinkUse& use = picture_.use[vertex.id];
                svg.rect(
                    vertex.at.x - r, vertex.at.y - r, 2 * r, 2 * r,
                    {{"class", "endless link"},
                     {"fill", use.paths > 0 ? colour_of(use.part) : std::string(palette::rule)},
                     {"stroke", "#9aa5b1"}},
                    tip_of_link(vertex.id));
            }
        }
    }

    /// Straight along each edge, in its lane, and rounded where one ends and the next begins.
    [[nodiscard]] std::string way_of(const Strand& strand) const {
        std::string out;
        Point corner;
        for (std::size_t i = 0; i < strand.steps.size(); ++i) {
            const Strand::Step& step = strand.steps[i];
            const Edge& edge = picture_.edges[step.edge];
            Point from = picture_.start_of(edge, step.lane);
            Point to = picture_.end_of(edge, step.lane);
            if (!step.along) std::swap(from, to);
            const double length = std::max(std::hypot(to.x - from.x, to.y - from.y), 1e-9);
            const double cut = std::min(10.0, length / 3);
            const Point ahead{(to.x - from.x) / length, (to.y - from.y) / length};
            Point begin = from;
            if (i > 0) {
                begin = {from.x + cut * ahead.x, from.y + cut * ahead.y};
                fmt::format_to(
                    std::back_inserter(out), "Q{} {} {} {}", coordinate((corner.x + from.x) / 2),
                    coordinate((corner.y + from.y) / 2), coordinate(begin.x), coordinate(begin.y));
            } else {
                out += fmt::format("M{} {}", coordinate(begin.x), coordinate(begin.y));
            }
            corner = to;
            if (i + 1 < strand.steps.size()) to = {to.x - cut * ahead.x, to.y - cut * ahead.y};
            fmt::format_to(std::back_inserter(out), "L{} {}", coordinate(to.x), coordinate(to.y));
        }
        return out;
    }

    [[nodiscard]] std::string tip_of_path(std::size_t p) const {
        const schedule::RingPath& path = ring_.paths[p];
        return fmt::format("from {} to {}: bandwidth {}", network_.nodes[path.from].name,
                           network_.nodes[path.to].name,
                           path.links.empty() ? "unlimited" : format_number(path.bandwidth));
    }

    void draw_strands(Svg& svg) const {
        const auto group = svg.group({{"class", "ring"},
                                      {"fill", "none"},
                                      {"stroke-linejoin", "round"},
                                      {"stroke-linecap", "round"}});
        for (const Strand& strand : picture_.strands) {
            const std::string way = way_of(strand);
            if (way.empty()) continue;
            svg.add("path",
                    {{"d", way},
                     {"class", strand.back ? "path back" : "path"},
                     {"stroke", way_colour},
                     {"stroke-dasharray", strand.back ? "4 3" : "none"},
                     {"stroke-width", 1.4}},
                    tip_of_path(strand.path));
        }
    }

    [[nodiscard]] std::string tip_of_host(const Vertex& vertex) const {
        const LinksNetwork::Node& node = network_.nodes[vertex.id];
        std::string out =
            fmt::format("{}: cycle time {}", node.name, format_number(*node.cycle_time));
        if (!vertex.place) return out + "; idle";
        const double share = ring_.shares[*vertex.place];
        return out + fmt::format("; place {}, share {}, works for {}", *vertex.place + 1,
                                 percent(share),
                                 format_number(share * ring_.work * *node.cycle_time));
    }

    void draw_hosts(Svg& svg) const {
        const auto group =
            svg.group({{"class", "hosts"}, {"font-size", label_size}, {"text-anchor", "middle"}});
        for (const Vertex& vertex : picture_.vertices) {
            if (vertex.what != What::host) continue;
            const bool idle = !vertex.place.has_value();
            svg.add("circle",
                    {{"class", idle ? "host idle" : "host"},
                     {"cx", vertex.at.x},
                     {"cy", vertex.at.y},
                     {"r", vertex.radius},
                     {"fill", idle ? palette::band : palette::light_blue},
                     {"stroke", idle ? std::string_view("#b9c2cb") : way_colour},
                     {"stroke-width", idle ? 1.2 : 1.6}},
                    tip_of_host(vertex));
            if (!idle && vertex.radius >= roomy)
                svg.text(vertex.at.x, baseline(vertex.at.y, label_size),
                         fmt::format("{}", *vertex.place + 1),
                         {{"class", "place"}, {"font-weight", "bold"}, {"fill", palette::ink}});
        }
    }

    /// Where a name does the least harm: beside its host, away from other hosts, names and links.
    void draw_labels(Svg& svg) const {
        const auto group = svg.group({{"class", "names"}, {"font-size", label_size}});
        std::vector<Box> taken;
        for (const Vertex& vertex : picture_.vertices)
            taken.push_back({vertex.at.x - vertex.radius, vertex.at.y - vertex.radius,
                             vertex.at.x + vertex.radius, vertex.at.y + vertex.radius});
        // Those in the ring choose first.
        for (const bool in_ring : {true, false})
            for (const Vertex& vertex : picture_.vertices)
                if (vertex.what == What::host && vertex.place.has_value() == in_ring)
                    draw_label(svg, vertex, taken);
    }

    void draw_label(Svg& svg, const Vertex& vertex, std::vector<Box>& taken) const {
        const std::string name = name_of(vertex);
        const std::string number = vertex.place && vertex.radius < roomy
                                       ? fmt::format("{} ", *vertex.place + 1)
                                       : std::string();
        // What text_width() allows for are the widest faces; names of letters and digits are less.
        const double width = 0.9 * text_width(number + name, label_size);
        const double r = vertex.radius + 4;
        struct Seat {
            double x;
            double y;
        };
        constexpr std::array<Seat, 8> seats{{{1, 0},
                                             {-1, 0},
                                             {0, 1},
                                             {0, -1},
                                             {0.75, 0.75},
                                             {-0.75, 0.75},
                                             {0.75, -0.75},
                                             {-0.75, -0.75}}};
        Box best;
        double least = std::numeric_limits<double>::infinity();
        for (const Seat& seat : seats) {
            const double x = vertex.at.x + seat.x * r;
            const double left = seat.x > 0 ? x : seat.x < 0 ? x - width : x - width / 2;
            const double middle = vertex.at.y + seat.y * (r + label_size / 2);
            const Box box{left, middle - label_size / 2, left + width, middle + label_size / 2};
            const double harm = harm_of(box, taken);
            if (harm >= least) continue;
            least = harm;
            best = box;
        }
        taken.push_back(best);
        const double y = baseline((best.top + best.bottom) / 2, label_size);
        double x = best.left;
        if (!number.empty()) {
            svg.text(x, y, number,
                     {{"class", "place"}, {"font-weight", "bold"}, {"fill", palette::ink}});
            x += 0.9 * text_width(number, label_size) + 1;
        }
        svg.text(x, y, name,
                 {{"class", "name"},
                  {"fill", vertex.place ? palette::ink : std::string_view("#8a95a0")},
                  {"paint-order", "stroke"},
                  {"stroke", palette::paper},
                  {"stroke-width", 2.5}});
    }

    [[nodiscard]] double harm_of(const Box& box, const std::vector<Box>& taken) const {
        double harm = 0;
        for (const Box& other : taken) harm += 3 * overlap(box, other);
        for (const Edge& edge : picture_.edges) {
            const Point a = picture_.start_of(edge, 0);
            const Point b = picture_.end_of(edge, 0);
            // As much of the edge as lies in the box, by sampling.
            constexpr int samples = 24;
            int inside = 0;
            for (int i = 0; i <= samples; ++i) {
                const double part = static_cast<double>(i) / samples;
                const double x = a.x + part * (b.x - a.x);
                const double y = a.y + part * (b.y - a.y);
                if (x > box.left - 2 && x < box.right + 2 && y > box.top - 2 && y < box.bottom + 2)
                    ++inside;
            }
            harm += 5.0 * inside * std::hypot(b.x - a.x, b.y - a.y) / samples;
        }
        return harm;
    }

    void add_legend() {
        legend_.add("host of the ring: its place, its share as area",
                    [](Svg& svg, double x, double middle) {
                        svg.add("circle", {{"cx", x + 13},
                                           {"cy", middle},
                                           {"r", 8},
                                           {"fill", palette::light_blue},
                                           {"stroke", way_colour},
                                           {"stroke-width", 1.6}});
                    });
        add_idle_legend();
        add_router_legend();
        if (!picture_.strands.empty())
            legend_.add("path to the successor and back", [](Svg& svg, double x, double middle) {
                svg.line(x, middle, x + Legend::sample_width, middle,
                         {{"stroke", way_colour}, {"stroke-width", 1.5}});
            });
        if (std::ranges::any_of(picture_.strands, &Strand::back))
            legend_.add("to the predecessor, where it is another one", [](Svg& svg, double x,
                                                                          double middle) {
                svg.line(
                    x, middle, x + Legend::sample_width, middle,
                    {{"stroke", way_colour}, {"stroke-dasharray", "4 3"}, {"stroke-width", 1.5}});
            });
        add_link_legend();
    }

    void add_idle_legend() {
        if (std::ranges::none_of(picture_.vertices, [](const Vertex& vertex) {
                return vertex.what == What::host && !vertex.place;
            }))
            return;
        legend_.add("idle host", [](Svg& svg, double x, double middle) {
            svg.add("circle", {{"cx", x + 13},
                               {"cy", middle},
                               {"r", 4.5},
                               {"fill", palette::band},
                               {"stroke", "#b9c2cb"},
                               {"stroke-width", 1.2}});
        });
    }

    void add_router_legend() {
        const auto add = [&](What what, const char* words, std::string_view fill) {
            if (std::ranges::find(picture_.vertices, what, &Vertex::what) ==
                picture_.vertices.end())
                return;
            legend_.add(words, [fill](Svg& svg, double x, double middle) {
                svg.rect(x + 9, middle - 4, 8, 8, {{"fill", fill}, {"stroke", "#9aa5b1"}});
            });
        };
        add(What::router, "router", "#9aa5b1");
        add(What::link, "link that only routes tell of", palette::rule);
    }

    void add_link_legend() {
        const auto band = [this](std::string words, double bandwidth, std::string colour) {
            const double width = band_of(bandwidth);
            legend_.add(std::move(words),
                        [width, colour = std::move(colour)](Svg& svg, double x, double middle) {
                            svg.line(x + 2, middle, x + Legend::sample_width - 2, middle,
                                     {{"stroke", colour}, {"stroke-width", width}});
                        });
        };
        if (network_.links.empty()) return;
        const std::string omitted =
            picture_.links_omitted > 0 ? fmt::format(" ({} more not drawn)", picture_.links_omitted)
                                       : std::string();
        band("unused link of bandwidth " + format_number(narrowest_) + omitted, narrowest_,
             std::string(palette::rule));
        if (widest_ > narrowest_)
            band("of " + format_number(widest_), widest_, std::string(palette::rule));
        const double middle = std::sqrt(narrowest_ * widest_);
        for (const double part : {0.1, 0.5, 1.0})
            band(fmt::format("{}{:.0f}%", part < 0.5 ? "in use: " : "", 100 * part), middle,
                 colour_of(part));
        if (std::ranges::any_of(network_.links, [](const LinksNetwork::Link& link) {
                return link.kind == LinksNetwork::Kind::backbone;
            }))
            legend_.add("backbone: each path may use all of it", [](Svg& svg, double x, double at) {
                svg.line(x + 2, at, x + Legend::sample_width - 2, at,
                         {{"stroke", "#c5ccd3"}, {"stroke-width", 8}});
                svg.line(x + 2, at, x + Legend::sample_width - 2, at,
                         {{"stroke", palette::paper}, {"stroke-width", 2.7}});
            });
    }

    const schedule::Ring& ring_;
    const LinksNetwork& network_;
    RingPicture picture_;
    Legend legend_;
    double narrowest_ = std::numeric_limits<double>::infinity();
    double widest_ = 0;
};

}  // namespace

std::string ring_svg(const schedule::Ring& ring, const network::LinksNetwork& network) {
    return Drawing(ring, network).svg();
}

}  // namespace espalier::report
