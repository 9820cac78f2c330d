#include "report/page_parts.hpp"

#include "report/svg.hpp"

#include <fmt/format.h>

namespace espalier::report {

namespace {

/// Escaped; what stands between backticks is set as code.
std::string marked(const std::string& words) {
    std::string html = escape_xml(words);
    bool opens = true;
    for (std::size_t at = html.find('`'); at != std::string::npos; at = html.find('`', at)) {
        if (opens && html.find('`', at + 1) == std::string::npos) break;
        html.replace(at, 1, opens ? "<code>" : "</code>");
        opens = !opens;
    }
    return html;
}

}  // namespace

std::string heading_of_page(const std::string& title, const std::string& below) {
    return fmt::format("<header>\n<h1>{}</h1>\n{}</header>\n", escape_xml(title), paragraph(below));
}

std::string heading(const std::string& title) {
    return fmt::format("<h2>{}</h2>\n", escape_xml(title));
}

std::string picture(const Panel& panel, const std::string& label) {
    Svg svg(panel.width, panel.height, label);
    panel.draw(svg);
    return picture(std::move(svg).finish());
}

std::string picture(const std::string& svg) {
    return "<div class=\"picture\" tabindex=\"0\">\n" + svg + "</div>\n";
}

std::string table(const overview::Sheet& sheet) {
    std::string html = "<div class=\"table\"><table>\n<thead><tr>";
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
    for (const std::string& line : lines) html += fmt::format("<li>{}</li>\n", marked(line));
    return html + "</ul>\n";
}

std::string origin(std::vector<std::string> lines) {
    std::erase(lines, "");
    return heading("Where it comes from") + list(lines);
}

std::string paragraph(const std::string& words) {
    return words.empty() ? std::string() : fmt::format("<p>{}</p>\n", marked(words));
}

std::string folded(const std::string& title, const std::string& content, bool open) {
    return fmt::format("<details{}>\n<summary>{}</summary>\n{}</details>\n", open ? " open" : "",
                       escape_xml(title), content);
}

std::string cards(const std::vector<Card>& all) {
    std::string html;
    for (const Card& card : all) {
        html += fmt::format("<section class=\"card{}\">\n<h3>{}</h3>\n<dl>\n",
                            card.urgent ? " urgent" : "", escape_xml(card.title));
        for (const auto& [about, words] : card.words)
            html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape_xml(about), marked(words));
        html += "</dl>\n</section>\n";
    }
    return html;
}

std::string figures(const std::vector<Figure>& all) {
    std::string html = "<dl class=\"figures\">\n";
    for (const Figure& figure : all)
        html += fmt::format("<div><dt>{}</dt><dd>{}</dd><dd class=\"remark\">{}</dd></div>\n",
                            escape_xml(figure.title), escape_xml(figure.value),
                            escape_xml(figure.remark));
    return html + "</dl>\n";
}

}  // namespace espalier::report
