#include "report/ring_svg.hpp"

#include "report/label_places.hpp"
#include "report/legend.hpp"
#include "report/ring_legend.hpp"
#include "report/ring_picture.hpp"
#include "report/ring_style.hpp"
#include "report/ring_text.hpp"
#include "report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
/// Discs that hold a number; others have it beside them.
constexpr double roomy = 9;

std::string percent(double part) { return fmt::format("{:.3g}%", 100 * part); }

class Drawing {
public:
    Drawing(const schedule::Ring& ring, const LinksNetwork& network)
        : ring_(ring),
          network_(network),
          picture_(picture_of(ring, network)),
          bands_(network.links),
          legend_(ring_legend(picture_, network, bands_)) {}

    std::string svg(bool titled) {
        const std::string title = title_of(ring_, network_);
        const std::string subtitle = subtitle_of(ring_);
        double inner = std::max({picture_.width, 480.0, legend_.least_width()});
        if (titled) inner = std::max({inner, text_width(subtitle, 13), text_width(title, 19)});
        const double top = titled ? header_height : 0;
        const double width = inner + 2 * side_margin;
        const double legend_height = legend_.height(inner);
        const double height = top + picture_.height + legend_height + side_margin;
        Svg svg(width, height, title + "; " + subtitle);
        if (titled) {
            svg.text(side_margin, 34, title,
                     {{"font-size", 19}, {"font-weight", "bold"}, {"fill", palette::ink}});
            svg.text(side_margin, 56, subtitle, {{"font-size", 13}, {"fill", palette::muted}});
        }
        {
            const auto platform =
                svg.group({{"class", "platform"},
                           {"transform", fmt::format("translate({} {})",
                                                     coordinate((width - picture_.width) / 2),
                                                     coordinate(top))}});
            draw_links(svg);
            draw_routers(svg);
            draw_strands(svg);
            draw_hosts(svg);
            draw_labels(svg);
        }
        legend_.draw(svg, side_margin, top + picture_.height, inner);
        return std::move(svg).finish();
    }

private:
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
        const double band = std::max(bands_.width_of(network_.links[id].bandwidth.value),
                                     static_cast<double>(edge.lanes) * RingPicture::lane_width + 3);
        const bool backbone = network_.links[id].kind == LinksNetwork::Kind::backbone;
        const auto link = svg.group(
            {{"class", use.paths > 0 ? "link used" : "link"},
             {"stroke", use.paths > 0 ? colour_of_use(use.part) : std::string(palette::rule)},
             {"fill", "none"}});
        const std::string outline = fmt::format("M{} {}L{} {}", coordinate(a.x), coordinate(a.y),
                                                coordinate(b.x), coordinate(b.y));
        svg.add("path", {{"d", outline}, {"stroke-width", band}}, tip_of_link(id));
        if (backbone)
            svg.add("path", {{"d", outline},
                             {"stroke", palette::paper},
                             {"stroke-width", std::max(1.0, band / 3)}});
    }

    /// Draws the line to or from a link without ends.
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
                         {{"class", "router"}, {"rx", 1.5}, {"fill", ring_style::router}},
                         name_of(vertex));
            if (vertex.what == What::link) {
                const LinkUse& use = picture_.use[vertex.id];
                svg.rect(
                    vertex.at.x - r, vertex.at.y - r, 2 * r, 2 * r,
                    {{"class", "endless link"},
                     {"fill", use.paths > 0 ? colour_of_use(use.part) : std::string(palette::rule)},
                     {"stroke", ring_style::router}},
                    tip_of_link(vertex.id));
            }
        }
    }

    /// The outline of a strand: straight along each edge, in its lane, and rounded where one edge
    /// ends and the next begins.
    [[nodiscard]] std::string outline_of(const Strand& strand) const {
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
            const std::string outline = outline_of(strand);
            if (outline.empty()) continue;
            svg.add("path",
                    {{"d", outline},
                     {"class", strand.back ? "path back" : "path"},
                     {"stroke", ring_style::path},
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
                     {"stroke", idle ? ring_style::idle : ring_style::path},
                     {"stroke-width", idle ? 1.2 : 1.6}},
                    tip_of_host(vertex));
            if (!idle && vertex.radius >= roomy)
                svg.text(vertex.at.x, baseline(vertex.at.y, label_size),
                         fmt::format("{}", *vertex.place + 1),
                         {{"class", "place"}, {"font-weight", "bold"}, {"fill", palette::ink}});
        }
    }

    /// A host's number stands beside it, before its name, where its disc is too small for it.
    [[nodiscard]] static std::string number_beside(const Vertex& vertex) {
        return vertex.place && vertex.radius < roomy ? fmt::format("{} ", *vertex.place + 1)
                                                     : std::string();
    }

    /// The width of a label. text_width() allows for the widest faces; names of letters and digits
    /// need less.
    [[nodiscard]] static double label_width(const std::string& text) {
        return 0.9 * text_width(text, label_size);
    }

    void draw_labels(Svg& svg) const {
        const auto group = svg.group({{"class", "names"}, {"font-size", label_size}});
        std::vector<Disc> discs;
        for (const Vertex& vertex : picture_.vertices) discs.push_back({vertex.at, vertex.radius});
        std::vector<Line> lines;
        for (const Edge& edge : picture_.edges)
            lines.push_back({picture_.start_of(edge, 0), picture_.end_of(edge, 0)});
        std::vector<Label> labels;
        // Those in the ring choose first.
        for (const bool in_ring : {true, false})
            for (std::size_t v = 0; v < picture_.vertices.size(); ++v) {
                const Vertex& vertex = picture_.vertices[v];
                if (vertex.what == What::host && vertex.place.has_value() == in_ring)
                    labels.push_back({v, label_width(number_beside(vertex) + name_of(vertex))});
            }
        const std::vector<LabelBox> places = label_places(discs, lines, labels, label_size);
        for (std::size_t i = 0; i < labels.size(); ++i)
            draw_label(svg, picture_.vertices[labels[i].disc], places[i]);
    }

    void draw_label(Svg& svg, const Vertex& vertex, const LabelBox& place) const {
        const double y = baseline((place.top + place.bottom) / 2, label_size);
        double x = place.left;
        const std::string number = number_beside(vertex);
        if (!number.empty()) {
            svg.text(x, y, number,
                     {{"class", "place"}, {"font-weight", "bold"}, {"fill", palette::ink}});
            x += label_width(number) + 1;
        }
        svg.text(x, y, name_of(vertex),
                 {{"class", "name"},
                  {"fill", vertex.place ? palette::ink : std::string_view("#8a95a0")},
                  {"paint-order", "stroke"},
                  {"stroke", palette::paper},
                  {"stroke-width", 2.5}});
    }

    const schedule::Ring& ring_;
    const LinksNetwork& network_;
    RingPicture picture_;
    LinkBands bands_;
    Legend legend_;
};

}  // namespace

std::string ring_svg(const schedule::Ring& ring, const network::LinksNetwork& network,
                     bool titled) {
    return Drawing(ring, network).svg(titled);
}

}  // namespace espalier::report
