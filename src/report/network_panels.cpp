#include "core/table.hpp"
#include "overview/text.hpp"
#include "overview/units.hpp"
#include "report/bars.hpp"
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
constexpr double longest_bar = 260;  // pixels

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

void add_more(std::vector<AmountGroup>& bars, std::string& title) {
    if (bars.size() <= most_bars) return;
    title += fmt::format(" ({} more are left out)", bars.size() - most_bars);
    bars.resize(most_bars);
}

Panel capacity_panel(const Overview& overview) {
    std::vector<double> rates;
    for (const auto& capacity : overview.capacities) rates.push_back(capacity.rate);
    const Unit unit = rate_unit(overview, rates);
    std::vector<AmountGroup> bars;
    for (const auto& capacity : overview.capacities)
        bars.push_back(
            {capacity.name,
             {{capacity.rate,
               fmt::format("{}{}, {}", unit.with_name(capacity.rate),
                           capacity.presumed ? " (presumed)" : "", who_shares(overview, capacity)),
               palette::orange}}});
    std::string title = "Shared capacities";
    add_more(bars, title);
    return bar_panel(title, std::move(bars), longest_bar);
}

Panel sender_panel(const Overview& overview) {
    std::vector<AmountGroup> bars;
    for (const auto& group : overview.groups) {
        if (!group.send_time) continue;
        const std::string time = Unit{1, overview.time_unit}.with_name(*group.send_time);
        bars.push_back(
            {group.name,
             {{*group.send_time,
               group.nodes == 1 ? time : fmt::format("{}, {}", time, counted(group.nodes, "node")),
               palette::blue}}});
    }
    std::string title = "The time in which each sends a message";
    add_more(bars, title);
    return bar_panel(title, std::move(bars), longest_bar);
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
