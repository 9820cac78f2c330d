#include "report/heat_map.hpp"

#include "core/infinity.hpp"
#include "report/node_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace espalier::report {

namespace {

constexpr double number_size = 11;
constexpr double title_size = 15;
constexpr double cell_height = 22;
constexpr double title_height = 34;
constexpr double longest_name = 170;
constexpr double faintest = 0.06;
constexpr double strongest = 0.62;  // numbers on it stay readable

/// How strong the colour of a value is: by its logarithm, between the least and the greatest; where
/// there are zeros, which are faintest, others are at least half as strong as can be.
class Strength {
public:
    explicit Strength(const HeatMap& map) : small_is_strong_(map.small_is_strong) {
        for (std::size_t i = 0; i < map.values.rows(); ++i)
            for (const auto& value : map.values.row(i)) {
                if (!value) continue;
                has_zeros_ = has_zeros_ || *value <= 0;
                if (!(*value > 0)) continue;
                least_ = least_ > 0 ? std::min(least_, *value) : *value;
                greatest_ = std::max(greatest_, *value);
            }
    }
    [[nodiscard]] double operator()(double value) const {
        double part = 0;
        if (value > 0) {
            part =
                greatest_ > least_ ? std::log(value / least_) / std::log(greatest_ / least_) : 0.5;
            if (has_zeros_) part = (1 + part) / 2;
        }
        if (small_is_strong_) part = 1 - part;
        return faintest + part * (strongest - faintest);
    }

private:
    bool small_is_strong_;
    bool has_zeros_ = false;
    double least_ = 0;
    double greatest_ = 0;
};

double cell_width(const HeatMap& map) {
    double width = 40;
    for (std::size_t i = 0; i < map.numbers.rows(); ++i)
        for (const std::string& number : map.numbers.row(i))
            width = std::max(width, text_width(number, number_size) + 10);
    return width;
}

void draw_cells(Svg& svg, const HeatMap& map, double left, double top, double width) {
    const Strength strength(map);
    for (std::size_t i = 0; i < map.names.size(); ++i)
        for (std::size_t j = 0; j < map.names.size(); ++j) {
            const double x = left + static_cast<double>(j) * width;
            const double y = top + static_cast<double>(i) * cell_height;
            const auto& value = map.values(i, j);
            const std::string tip =
                i == j ? fmt::format("inside {}: {}", map.names[i], map.numbers(i, j))
                       : fmt::format("{} to {}: {}", map.names[i], map.names[j],
                                     value ? map.numbers(i, j) : "not known");
            svg.rect(x, y, width - 1, cell_height - 1,
                     {{"class", i == j ? "inside" : "cell"},
                      {"fill", value ? std::string_view(map.colour) : palette::light_grey},
                      {"fill-opacity", value ? strength(*value) : (i == j ? 0.25 : 0.9)}},
                     tip);
            if (!map.numbers(i, j).empty())
                svg.text(x + (width - 1) / 2, baseline(y + (cell_height - 1) / 2, number_size),
                         map.numbers(i, j), {{"text-anchor", "middle"}});
        }
}

}  // namespace

Panel heat_panel(const HeatMap& map) {
    const auto size = static_cast<double>(map.names.size());
    const double width = cell_width(map);
    double label = 0;
    for (const std::string& name : map.names)
        label = std::max(label, std::min(text_width(name, number_size), longest_name));
    const NodeNames names(map.names, infinity);
    const double heads = names.head_height(width);
    const double left = label + 10;
    const double top = title_height + heads;
    Panel panel;
    // Heads that lean over the last column need room.
    panel.width = std::max(left + size * width + 12, 1.1 * text_width(map.title, title_size));
    panel.height = top + size * cell_height + 6;
    panel.draw = [map, width, left, top](Svg& svg) {
        svg.text(0, title_size, map.title,
                 {{"font-size", title_size}, {"font-weight", "bold"}, {"fill", palette::ink}});
        const NodeNames heading(map.names, infinity);
        heading.draw_heads(svg, width, top - 4, [&](std::size_t column) {
            return left + (static_cast<double>(column) + 0.5) * width;
        });
        const auto cells =
            svg.group({{"class", "heat"}, {"font-size", number_size}, {"fill", palette::ink}});
        for (std::size_t i = 0; i < map.names.size(); ++i)
            svg.text(left - 8,
                     baseline(top + (static_cast<double>(i) + 0.5) * cell_height, number_size),
                     cut_to(map.names[i], number_size, longest_name), {{"text-anchor", "end"}});
        draw_cells(svg, map, left, top, width);
    };
    return panel;
}

}  // namespace espalier::report
