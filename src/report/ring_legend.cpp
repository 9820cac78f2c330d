#include "report/ring_legend.hpp"

#include "report/ring_text.hpp"
#include "report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace espalier::report {

namespace {

using network::LinksNetwork;
using Strand = RingPicture::Strand;
using Vertex = RingPicture::Vertex;
using What = RingPicture::What;

void add_hosts(Legend& legend, const RingPicture& picture) {
    legend.add("host of the ring: its place, its share as area",
               [](Svg& svg, double x, double middle) {
                   svg.add("circle", {{"cx", x + 13},
                                      {"cy", middle},
                                      {"r", 8},
                                      {"fill", palette::light_blue},
                                      {"stroke", ring_style::path},
                                      {"stroke-width", 1.6}});
               });
    if (std::ranges::none_of(picture.vertices, [](const Vertex& vertex) {
            return vertex.what == What::host && !vertex.place;
        }))
        return;
    legend.add("idle host", [](Svg& svg, double x, double middle) {
        svg.add("circle", {{"cx", x + 13},
                           {"cy", middle},
                           {"r", 4.5},
                           {"fill", palette::band},
                           {"stroke", ring_style::idle},
                           {"stroke-width", 1.2}});
    });
}

void add_routers(Legend& legend, const RingPicture& picture) {
    const auto add = [&](What what, const char* words, std::string_view fill) {
        if (std::ranges::find(picture.vertices, what, &Vertex::what) == picture.vertices.end())
            return;
        legend.add(words, [fill](Svg& svg, double x, double middle) {
            svg.rect(x + 9, middle - 4, 8, 8, {{"fill", fill}, {"stroke", ring_style::router}});
        });
    };
    add(What::router, "router", ring_style::router);
    add(What::link, "link that only routes tell of", palette::rule);
}

void add_paths(Legend& legend, const RingPicture& picture) {
    if (!picture.strands.empty())
        legend.add("path to the successor and back", [](Svg& svg, double x, double middle) {
            svg.line(x, middle, x + Legend::sample_width, middle,
                     {{"stroke", ring_style::path}, {"stroke-width", 1.5}});
        });
    if (std::ranges::any_of(picture.strands, &Strand::back))
        legend.add("to the predecessor, where it is another one", [](Svg& svg, double x,
                                                                     double middle) {
            svg.line(
                x, middle, x + Legend::sample_width, middle,
                {{"stroke", ring_style::path}, {"stroke-dasharray", "4 3"}, {"stroke-width", 1.5}});
        });
}

void add_links(Legend& legend, const RingPicture& picture, const LinksNetwork& network,
               const LinkBands& bands) {
    if (network.links.empty()) return;
    const auto band = [&](std::string words, double bandwidth, std::string colour) {
        const double width = bands.width_of(bandwidth);
        legend.add(std::move(words),
                   [width, colour = std::move(colour)](Svg& svg, double x, double middle) {
                       svg.line(x + 2, middle, x + Legend::sample_width - 2, middle,
                                {{"stroke", colour}, {"stroke-width", width}});
                   });
    };
    const std::string omitted = picture.links_omitted > 0
                                    ? fmt::format(" ({} more not drawn)", picture.links_omitted)
                                    : std::string();
    const double narrowest = bands.narrowest();
    const double widest = bands.widest();
    band("unused link of bandwidth " + format_number(narrowest) + omitted, narrowest,
         colour_of_use(0));
    if (widest > narrowest) band("of " + format_number(widest), widest, colour_of_use(0));
    const double middle = std::sqrt(narrowest * widest);
    for (const double part : {0.1, 0.5, 1.0})
        band(fmt::format("{}{:.0f}%", part < 0.5 ? "in use: " : "", 100 * part), middle,
             colour_of_use(part));
    if (std::ranges::any_of(network.links, [](const LinksNetwork::Link& link) {
            return link.kind == LinksNetwork::Kind::backbone;
        }))
        legend.add("backbone: each path may use all of it", [](Svg& svg, double x, double at) {
            svg.line(x + 2, at, x + Legend::sample_width - 2, at,
                     {{"stroke", "#c5ccd3"}, {"stroke-width", 8}});
            svg.line(x + 2, at, x + Legend::sample_width - 2, at,
                     {{"stroke", palette::paper}, {"stroke-width", 2.7}});
        });
}

}  // namespace

Legend ring_legend(const RingPicture& picture, const LinksNetwork& network,
                   const LinkBands& bands) {
    Legend legend;
    add_hosts(legend, picture);
    add_routers(legend, picture);
    add_paths(legend, picture);
    add_links(legend, picture, network, bands);
    return legend;
}

}  // namespace espalier::report
