#include "core/prose.hpp"
#include "core/table.hpp"
#include "overview/text.hpp"
#include "overview/units.hpp"
#include "report/network_svg.hpp"
#include "report/page_parts.hpp"
#include "report/page_style.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::report {

namespace {

using overview::Overview;
using overview::Unit;

constexpr std::size_t most_rows = 200;

/// `47.6 us to 12.2 ms`, each in its own unit, which is not said twice.
std::string range_of(const Overview& overview, const std::vector<double>& values,
                     Unit (*unit_for)(const Overview&, const std::vector<double>&)) {
    const auto [least, greatest] = std::ranges::minmax(values);
    const Unit unit = unit_for(overview, {least});
    const Unit last = unit_for(overview, {greatest});
    if (least == greatest) return last.with_name(greatest);
    return fmt::format("{} to {}",
                       unit.name == last.name ? unit.number(least) : unit.with_name(least),
                       last.with_name(greatest));
}

/// How far apart, how fast, and how well known it is.
std::string verdict(const Overview& overview) {
    std::vector<Figure> all;
    const std::vector<std::size_t> groups = largest_groups(overview, overview.groups.size());
    if (const auto times = overview::known_values(overview.latencies, groups); !times.empty())
        all.push_back({range_of(overview, times, overview::time_unit), "Latency",
                       "one way, of a short message"});
    if (const auto rates = overview::known_values(overview.rates, groups); !rates.empty())
        all.push_back({range_of(overview, rates, overview::rate_unit), "Rate",
                       "of one large message, with nothing beside it"});
    std::vector<double> times;
    for (const overview::Group& group : overview.groups)
        if (group.send_time) times.push_back(*group.send_time);
    if (!times.empty())
        all.push_back({range_of(overview, times, overview::time_unit), "Time of a message",
                       "whoever receives it"});
    if (!overview.capacities.empty())
        all.push_back({fmt::format("{}", overview.capacities.size()), "Shared capacities",
                       "what messages of several pairs share"});
    all.push_back({overview.unknown.empty() ? "nothing" : counted(overview.unknown.size(), "thing"),
                   "Not known", overview.unknown.empty() ? "" : "said below, with what helps"});
    return figures(all);
}

}  // namespace

std::string network_html(const Overview& overview, const std::string& source,
                         const std::string& made) {
    const std::string title = capitalised(title_of(overview));
    std::string page = begin_page(title) +
                       heading_of_page(title, overview.time_unit.empty()
                                                  ? "Times and rates are in the file's own units."
                                                  : "") +
                       "<main>\n" + verdict(overview);

    const NetworkPanels panels = network_panels(overview);
    for (const Panel& panel : panels.pictures) page += picture(panel, title);
    page += paragraph(panels.note.empty() ? "" : "In the matrices " + panels.note + ".");

    const std::vector<std::size_t> groups = largest_groups(overview, most_rows);
    page += heading(capitalised(plural(overview))) + table(sheet_of_groups(overview, groups));
    if (const std::string rest = left_out(overview, groups.size()); !rest.empty())
        page += paragraph(rest + ".");
    if (!overview.capacities.empty())
        page += heading("Shared capacities") + table(sheet_of_capacities(overview, most_rows));
    if (!overview.facts.empty()) page += heading("About it") + list(overview.facts);
    if (!overview.unknown.empty()) page += heading("Not known");
    for (const auto& part : advice(overview))
        page += list(part.what) +
                paragraph(part.remedy.empty() ? "" : "What helps: " + part.remedy + ".");
    if (!source.empty())
        page += origin({source + ", as espalier reads it.",
                        fmt::format("In a terminal: espalier network {}.", source), made});
    return page + "</main>\n" + std::string(end_of_page);
}

}  // namespace espalier::report
