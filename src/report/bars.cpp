#include "report/bars.hpp"

#include "report/label_places.hpp"
#include "report/node_names.hpp"

#include <algorithm>

namespace espalier::report {

namespace {

constexpr double bar_text = 12;
constexpr double bar_row = 22;
constexpr double bars_top = 30;
constexpr double widest_name = 260;

void draw_bar(Svg& svg, const AmountGroup& group, const Amount& bar, double left, double y,
              double width) {
    if (bar.hollow)
        svg.rect(left, y + 3, width, bar_row - 6,
                 {{"fill", palette::paper},
                  {"stroke", bar.colour},
                  {"stroke-width", 1.5},
                  {"stroke-dasharray", "4 2"}},
                 group.name);
    else
        svg.rect(left, y + 3, width, bar_row - 6, {{"fill", bar.colour}, {"fill-opacity", 0.75}},
                 group.name);
    svg.text(left + width + 8, baseline(y + bar_row / 2, bar_text), bar.words);
}

}  // namespace

Panel bar_panel(const std::string& title, std::vector<AmountGroup> groups, double longest) {
    double names = 0;
    double words = 0;
    double greatest = 0;
    double rows = 0;
    for (const AmountGroup& group : groups) {
        names = std::max(names, std::min(text_width(group.name, bar_text), widest_name));
        rows += static_cast<double>(group.amounts.size());
        for (const Amount& bar : group.amounts) {
            words = std::max(words, text_width(bar.words, bar_text));
            greatest = std::max(greatest, bar.value);
        }
    }
    // Between groups of several bars there is room.
    const bool several =
        std::ranges::any_of(groups, [](const auto& group) { return group.amounts.size() > 1; });
    const double between = several ? 10 : 0;
    Panel panel;
    panel.width = std::max(names + longest + words + 30, 1.1 * text_width(title, 15));
    panel.height = bars_top + bar_row * rows + between * static_cast<double>(groups.size()) + 6;
    panel.draw = [title, groups = std::move(groups), names, greatest, longest, between](Svg& svg) {
        svg.text(0, 15, title,
                 {{"font-size", 15}, {"font-weight", "bold"}, {"fill", palette::ink}});
        const auto all =
            svg.group({{"class", "bars"}, {"font-size", bar_text}, {"fill", palette::ink}});
        const double left = names + 10;
        const auto length = [&](double value) {
            return greatest > 0 ? longest * value / greatest : 0;
        };
        double y = bars_top;
        for (const AmountGroup& group : groups) {
            const double top = y;
            svg.text(names, baseline(y + bar_row / 2, bar_text),
                     cut_to(group.name, bar_text, widest_name), {{"text-anchor", "end"}});
            for (const Amount& bar : group.amounts) {
                draw_bar(svg, group, bar, left, y, std::max(length(bar.value), 1.0));
                y += bar_row;
            }
            if (group.mark)
                svg.line(left + length(*group.mark), top + 1, left + length(*group.mark), y - 1,
                         {{"stroke", palette::green}, {"stroke-width", 2.5}});
            y += between;
        }
    };
    return panel;
}

}  // namespace espalier::report
