#include "overview/text.hpp"
#include "report/network_svg.hpp"
#include "report/page_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace espalier::report {

namespace {

constexpr std::size_t most_rows = 200;

/// What this page needs beside the style of all pages. In the dark, colours that pictures state are
/// replaced by those that are readable there.
constexpr std::string_view style = R"css(
html, body { height: auto; }
main { display: block; }
h2 { font-size: 16px; margin: 22px 0 6px; }
.picture { overflow-x: auto; margin: 18px 0; }
.table { max-height: none; }
thead th { position: static; }
li { margin: 2px 0; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --muted: #a3afba; --rule: #333c45; --band: #1d232a; --paper: #14181c; }
  svg [fill="#ffffff"] { fill: #14181c; }
  svg [stroke="#ffffff"] { stroke: #14181c; }
  svg [fill="#1f2933"] { fill: #e4e8ec; }
  svg [fill="#5f6b76"] { fill: #a3afba; }
  svg [fill="#dcdcdc"] { fill: #3a434c; }
  svg [fill="#0072b2"] { fill: #3b9ad9; }
  svg [stroke="#0072b2"] { stroke: #3b9ad9; }
  svg [fill="#d55e00"] { fill: #ef8a3c; }
  svg [stroke="#d55e00"] { stroke: #ef8a3c; }
}
)css";

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
    std::string page = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n<title>{0}</title>\n<style>\n{1}{2}</style>\n</head>\n<body>\n"
        "<header>\n<h1>{0}</h1>\n{3}</header>\n<main>\n",
        escape_xml(title), page_style(), style,
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
    return page + "</main>\n</body>\n</html>\n";
}

}  // namespace espalier::report
