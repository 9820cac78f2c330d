#include "report/network_svg.hpp"

#include "overview/text.hpp"
#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::report {

namespace {

constexpr double between = 26;  // panels, pixels
constexpr double remark_size = 12;
constexpr double remark_height = 17;
constexpr double least_remarks = 620;

/// A text in lines of at most that width, those after the first indented.
std::vector<std::string> wrapped(const std::string& text, double width) {
    std::vector<std::string> lines(1);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
        if (text_width(longer, remark_size) > width && !lines.back().empty())
            lines.push_back("\u00a0\u00a0" + word);
        else
            lines.back() = longer;
        begin = end + 1;
    }
    return lines;
}

struct Remark {
    std::string words;
    bool heading = false;
};

std::vector<Remark> remarks_of(const overview::Overview& overview, const std::string& note) {
    std::vector<Remark> remarks;
    if (!note.empty()) remarks.push_back({"In the matrices " + note + "."});
    for (const std::string& fact : overview.facts) remarks.push_back({fact + "."});
    for (const auto& part : advice(overview)) {
        remarks.push_back({part.remedy.empty() ? "Not known" : "Not known; " + part.remedy, true});
        for (const std::string& what : part.what) remarks.push_back({"• " + what});
    }
    return remarks;
}

Panel remark_panel(const std::vector<Remark>& remarks, double width) {
    std::vector<Remark> lines;
    for (const Remark& remark : remarks)
        for (std::string& line : wrapped(remark.words, width / (remark.heading ? 1.1 : 1)))
            lines.push_back({std::move(line), remark.heading});
    Panel panel;
    panel.width = width;
    panel.height = remark_height * static_cast<double>(lines.size());
    panel.draw = [lines](Svg& svg) {
        const auto group =
            svg.group({{"class", "remarks"}, {"font-size", remark_size}, {"fill", palette::muted}});
        double y = remark_size;
        for (const Remark& line : lines) {
            svg.text(0, y, line.words,
                     {{"font-weight", line.heading ? "bold" : "normal"},
                      {"fill", line.heading ? palette::ink : palette::muted}});
            y += remark_height;
        }
    };
    return panel;
}

}  // namespace

std::string network_svg(const overview::Overview& overview) {
    Page page;
    page.title = title_of(overview);
    page.subtitle = overview.time_unit.empty() ? "times and rates in the file's own units" : "";
    NetworkPanels panels = network_panels(overview);
    double width = std::max(page.least_width(), least_remarks);
    for (const Panel& panel : panels.pictures)
        width = std::max(width, panel.width + 2 * Page::padding);
    if (const auto remarks = remarks_of(overview, panels.note); !remarks.empty())
        panels.pictures.push_back(remark_panel(remarks, width - 2 * Page::padding));
    double height = page.bottom(width);
    for (const Panel& panel : panels.pictures) height += panel.height + between;
    Svg svg(width, height, page.title);
    page.draw(svg, width);
    double y = page.bottom(width);
    for (const Panel& panel : panels.pictures) {
        const auto group =
            svg.group({{"transform", fmt::format("translate({} {})", coordinate(Page::padding),
                                                 coordinate(y))}});
        panel.draw(svg);
        y += panel.height + between;
    }
    return std::move(svg).finish();
}

}  // namespace espalier::report
