#include "overview/text.hpp"
#include "report/network_svg.hpp"
#include "report/page_parts.hpp"
#include "report/page_style.hpp"

#include <algorithm>

namespace espalier::report {

namespace {

constexpr std::size_t most_rows = 200;

}  // namespace

std::string network_html(const overview::Overview& overview) {
    const std::string title = title_of(overview);
    std::string page = begin_page(title) +
                       heading_of_page(title, overview.time_unit.empty()
                                                  ? "Times and rates are in the file's own units."
                                                  : "") +
                       "<main>\n";

    const NetworkPanels panels = network_panels(overview);
    for (const Panel& panel : panels.pictures) page += picture(panel, title);
    page += paragraph(panels.note.empty() ? "" : "In the matrices " + panels.note + ".");

    const std::vector<std::size_t> groups = largest_groups(overview, most_rows);
    std::string groups_title = plural(overview);
    groups_title.front() = static_cast<char>(groups_title.front() - 'a' + 'A');
    page += heading(groups_title) + table(sheet_of_groups(overview, groups));
    if (const std::string rest = left_out(overview, groups.size()); !rest.empty())
        page += paragraph(rest + ".");
    if (!overview.capacities.empty())
        page += heading("Shared capacities") + table(sheet_of_capacities(overview, most_rows));
    if (!overview.facts.empty()) page += heading("About it") + list(overview.facts);
    for (const auto& part : advice(overview))
        page += heading(part.remedy.empty() ? "Not known" : "Not known; " + part.remedy) +
                list(part.what);
    return page + "</main>\n" + std::string(end_of_page);
}

}  // namespace espalier::report
