#include "report/page.hpp"

#include <algorithm>

namespace espalier::report {

namespace {
constexpr double title_size = 18;
constexpr double subtitle_size = 13;
constexpr double bold = 1.1;  // bold type is wider by this
constexpr double legend_top = Page::padding + title_size + subtitle_size + 20;
}  // namespace

double Page::least_width() const {
    return 2 * padding + std::max({bold * text_width(title, title_size),
                                   text_width(subtitle, subtitle_size), legend.least_width()});
}

double Page::bottom(double width) const {
    return legend_top + legend.height(width - 2 * padding) + 8;
}

void Page::draw(Svg& svg, double width) const {
    svg.text(padding, padding + title_size * 0.8, title,
             {{"class", "title"},
              {"font-size", title_size},
              {"font-weight", "bold"},
              {"fill", palette::ink}});
    svg.text(padding, padding + title_size + subtitle_size + 4, subtitle,
             {{"class", "subtitle"}, {"font-size", subtitle_size}, {"fill", palette::muted}});
    legend.draw(svg, padding, legend_top, width - 2 * padding);
}

Legend::Sample swatch(std::string_view fill, std::string_view stroke, std::string_view pattern) {
    return [fill = std::string(fill), stroke = std::string(stroke), pattern = std::string(pattern)](
               Svg& svg, double x, double middle) {
        svg.rect(x, middle - 5, Legend::sample_width, 10,
                 {{"fill", fill}, {"stroke", stroke}, {"stroke-width", 0.6}});
        if (pattern != "none")
            svg.rect(x, middle - 5, Legend::sample_width, 10, {{"fill", pattern}});
    };
}

}  // namespace espalier::report
