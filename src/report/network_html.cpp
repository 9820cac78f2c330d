#include "overview/text.hpp"
#include "report/network_svg.hpp"
#include "report/page_style.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::report {

namespace {

constexpr std::size_t most_rows = 200;

std::string picture(const Panel& panel, const std::string& label) {
    Svg svg(panel.width, panel.height, label);
    panel.draw(svg);
    return "<div class=\"picture\">\n" + std::move(svg).finish() + "</div>\n";
}

std::string table(const std::string& title, const overview::Sheet& sheet) {
    std::string html =
        fmt::format("<h2>{}</h2>\n<div class=\"table\"><table>\n<thead><tr>", escape_xml(title));
    const auto style_of = [&](std::size_t column) {
        return sheet.columns[column].number ? "" : " class=\"text\"";
    };
    for (std::size_t c = 0; c < sheet.columns.size(); ++c)
        html += fmt::format("<th scope=\"col\"{}>{}</th>", style_of(c),
                            escape_xml(sheet.columns[c].title));
    html += "</tr></thead>\n<tbody>\n";
    for (const auto& row : sheet.rows) {
        html += "<tr>";
        for (std::size_t c = 0; c < row.size(); ++c)
            html += fmt::format("<td{}>{}</td>", style_of(c), escape_xml(row[c]));
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

std::string list(const std::vector<std::string>& lines) {
    std::string html = "<ul>\n";
    for (const std::string& line : lines) html += fmt::format("<li>{}</li>\n", escape_xml(line));
    return html + "</ul>\n";
}

std::string paragraph(const std::string& words) {
    return words.empty() ? std::string() : fmt::format("<p>{}</p>\n", escape_xml(words));
}

}  // namespace

std::string network_html(const overview::Overview& overview) {
    const std::string title = title_of(overview);
    std::string page =
        begin_page(title) +
        fmt::format(
            "<header>\n<h1>{}</h1>\n{}</header>\n<main>\n", escape_xml(title),
            paragraph(overview.time_unit.empty() ? "Times and rates are in the file's own units."
                                                 : ""));

    const NetworkPanels panels = network_panels(overview);
    for (const Panel& panel : panels.pictures) page += picture(panel, title);
    page += paragraph(panels.note.empty() ? "" : "In the matrices " + panels.note + ".");

    const std::vector<std::size_t> groups = largest_groups(overview, most_rows);
    std::string heading = plural(overview);
    heading.front() = static_cast<char>(heading.front() - 'a' + 'A');
    page += table(heading, sheet_of_groups(overview, groups));
    if (const std::string rest = left_out(overview, groups.size()); !rest.empty())
        page += paragraph(rest + ".");
    if (!overview.capacities.empty())
        page += table("Shared capacities", sheet_of_capacities(overview, most_rows));
    if (!overview.facts.empty()) page += "<h2>About it</h2>\n" + list(overview.facts);
    for (const auto& part : advice(overview))
        page += fmt::format("<h2>Not known{}</h2>\n",
                            part.remedy.empty() ? "" : "; " + escape_xml(part.remedy)) +
                list(part.what);
    return page + "</main>\n" + std::string(end_of_page);
}

}  // namespace espalier::report
