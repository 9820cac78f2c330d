#include "report/marks.hpp"

#include <fmt/format.h>

namespace espalier::report {

void define_hatch(Svg& svg) {
    define_stripes(svg, "espalier-hatch", 6, 45, 2, palette::paper, 0.3);
}

void define_arrow(Svg& svg) {
    const auto arrow = svg.open("marker", {{"id", "espalier-arrow"},
                                           {"viewBox", "0 0 6 6"},
                                           {"refX", 6.0},
                                           {"refY", 3.0},
                                           {"markerWidth", 6.0},
                                           {"markerHeight", 6.0},
                                           {"markerUnits", "userSpaceOnUse"},
                                           {"orient", "auto"}});
    svg.add("path", {{"d", "M0 0.5L6 3L0 5.5z"}, {"fill", palette::muted}});
}

void define_stripes(Svg& svg, std::string_view id, double size, double degrees, double stripe,
                    std::string_view colour, double opacity) {
    const auto pattern =
        svg.open("pattern", {{"id", id},
                             {"width", size},
                             {"height", size},
                             {"patternUnits", "userSpaceOnUse"},
                             {"patternTransform", fmt::format("rotate({})", degrees)}});
    svg.rect(0, 0, stripe, size, {{"fill", colour}, {"fill-opacity", opacity}});
}

}  // namespace espalier::report
