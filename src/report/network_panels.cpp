#include "core/table.hpp"
#include "overview/text.hpp"
#include "overview/units.hpp"
#include "report/heat_map.hpp"
#include "report/network_map.hpp"
#include "report/network_svg.hpp"
#include "report/node_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::report {

namespace {

using overview::known_values;
using overview::Overview;
using overview::Unit;

constexpr std::size_t most_cells = 40;  // in a row
constexpr std::size_t most_bars = 30;

Panel matrix_panel(const Overview& overview, const std::vector<std::size_t>& groups,
                   const Matrix<std::optional<double>>& cells, const Unit& unit,
                   const std::string& title, bool is_rate) {
    HeatMap map;
    map.title = fmt::format("{}, from row to column; stronger: {}", unit.after(title),
                            is_rate ? "slower" : "longer");
    map.colour = is_rate ? palette::orange : palette::blue;
    map.small_is_strong = is_rate;
    map.values = Matrix<std::optional<double>>(groups.size(), groups.size());
    map.numbers = Matrix<std::string>(groups.size(), groups.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
        map.names.push_back(overview.groups[groups[i]].name);
        for (std::size_t j = 0; j < groups.size(); ++j) {
            const auto& cell = cells(groups[i], groups[j]);
            map.values(i, j) = cell;
            map.numbers(i, j) = cell ? unit.number(*cell) : i == j ? "" : "?";
        }
    }
    return heat_panel(map);
}

struct Amount {
    std::string name;
    double value = 0;
    std::string words;
};

/// Bars below each other, each with its name before it and words behind it.
Panel bar_panel(const std::string& title, std::vector<Amount> bars, std::string_view colour) {
    constexpr double size = 12;
    constexpr double row = 22;
    constexpr double top = 30;
    constexpr double longest = 260;
    double names = 0;
    double words = 0;
    double greatest = 0;
    for (const Amount& bar : bars) {
        names = std::max(names, std::min(text_width(bar.name, size), 260.0));
        words = std::max(words, text_width(bar.words, size));
        greatest = std::max(greatest, bar.value);
    }
    Panel panel;
    panel.width = std::max(names + longest + words + 30, 1.1 * text_width(title, 15));
    panel.height = top + row * static_cast<double>(bars.size()) + 6;
    panel.draw = [title, bars = std::move(bars), colour, names, greatest](Svg& svg) {
        svg.text(0, 15, title,
                 {{"font-size", 15}, {"font-weight", "bold"}, {"fill", palette::ink}});
        const auto group =
            svg.group({{"class", "bars"}, {"font-size", size}, {"fill", palette::ink}});
        double y = top;
        for (const Amount& bar : bars) {
            const double width = std::max(longest * bar.value / greatest, 1.0);
            svg.text(names, baseline(y + row / 2, size), cut_to(bar.name, size, 260),
                     {{"text-anchor", "end"}});
            svg.rect(names + 10, y + 3, width, row - 6, {{"fill", colour}, {"fill-opacity", 0.75}},
                     bar.name);
            svg.text(names + width + 18, baseline(y + row / 2, size), bar.words);
            y += row;
        }
    };
    return panel;
}

void add_more(std::vector<Amount>& bars, std::string& title) {
    if (bars.size() <= most_bars) return;
    title += fmt::format(" ({} more are left out)", bars.size() - most_bars);
    bars.resize(most_bars);
}

Panel capacity_panel(const Overview& overview) {
    std::vector<double> rates;
    for (const auto& capacity : overview.capacities) rates.push_back(capacity.rate);
    const Unit unit = rate_unit(overview, rates);
    std::vector<Amount> bars;
    for (const auto& capacity : overview.capacities)
        bars.push_back(
            {capacity.name, capacity.rate,
             fmt::format("{}{}, {}", unit.with_name(capacity.rate),
                         capacity.presumed ? " (presumed)" : "", who_shares(overview, capacity))});
    std::string title = "Shared capacities";
    add_more(bars, title);
    return bar_panel(title, std::move(bars), palette::orange);
}

Panel sender_panel(const Overview& overview) {
    std::vector<Amount> bars;
    for (const auto& group : overview.groups) {
        if (!group.send_time) continue;
        const std::string time = Unit{1, overview.time_unit}.with_name(*group.send_time);
        bars.push_back(
            {group.name, *group.send_time,
             group.nodes == 1 ? time : fmt::format("{}, {}", time, counted(group.nodes, "node"))});
    }
    std::string title = "The time in which each sends a message";
    add_more(bars, title);
    return bar_panel(title, std::move(bars), palette::blue);
}

}  // namespace

NetworkPanels network_panels(const Overview& overview) {
    NetworkPanels panels;
    if (overview.model == "sender") {
        panels.pictures.push_back(sender_panel(overview));
        return panels;
    }
    panels.pictures.push_back(map_panel(overview));
    const std::vector<std::size_t> groups = largest_groups(overview, most_cells);
    if (const auto times = known_values(overview.latencies, groups);
        overview.has_pairs() && std::ranges::any_of(times, [](double t) { return t > 0; }))
        panels.pictures.push_back(matrix_panel(overview, groups, overview.latencies,
                                               time_unit(overview, times), "Latency", false));
    if (const auto rates = known_values(overview.rates, groups);
        overview.has_pairs() && !rates.empty())
        panels.pictures.push_back(matrix_panel(overview, groups, overview.rates,
                                               rate_unit(overview, rates),
                                               "Rate of one large message", true));
    if (!overview.capacities.empty()) panels.pictures.push_back(capacity_panel(overview));
    if (overview.has_pairs()) panels.note = left_out(overview, groups.size());
    return panels;
}

}  // namespace espalier::report
