#include "report/page_style.hpp"

#include "report/ring_style.hpp"
#include "report/svg.hpp"
#include "report/viewer_files.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace espalier::report {

namespace {

/// In the dark, the colours of what scripts draw.
constexpr std::string_view dark_colours = R"css(@media screen and (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e8ec; --muted: #a3afba; --rule: #333c45; --band: #1d232a; --paper: #14181c;
    --blue: #3b9ad9; --light-blue: #20435c; --purple: #d07ab0; --light-purple: #4b2a40;
    --grey: #9a9a9a; --light-grey: #3a434c; --amber: #8a6410; --dark-amber: #d9a441;
    --orange: #ef8a3c; --green: #3cc79b;
  }
}
)css";

/// Colours that pictures state, and what is readable in the dark in place of each.
constexpr std::array<std::pair<std::string_view, std::string_view>, 19> in_the_dark{
    {{palette::paper, "#14181c"},
     {palette::ink, "#e4e8ec"},
     {palette::muted, "#a3afba"},
     {palette::rule, "#333c45"},
     {palette::band, "#1d232a"},
     {palette::light_grey, "#3a434c"},
     {palette::light_blue, "#20435c"},
     {palette::light_purple, "#4b2a40"},
     {palette::amber, "#8a6410"},
     {palette::dark_amber, "#d9a441"},
     {palette::blue, "#3b9ad9"},
     {palette::orange, "#ef8a3c"},
     {palette::green, "#3cc79b"},
     {palette::purple, "#d07ab0"},
     {ring_style::path, "#3b9ad9"},
     {"#3b9ad9", "#a8d8f8"},
     {"#b58900", "#d9b13b"},
     {"#000000", "#f4f6f8"},
     {"#7a5c3e", "#b98f68"}}};

/// What a page of text and pictures needs beside the style of the viewer.
constexpr std::string_view flowing_style = R"css(
html, body { height: auto; }
main { display: block; }
.picture { overflow-x: auto; margin: 18px 0; }
.table { max-height: none; }
thead th { position: static; }
th:not(.text), td:not(.text) { white-space: nowrap; }
summary { font-weight: bold; margin: 10px 0 4px; }
.figures { display: flex; flex-wrap: wrap; gap: 10px 14px; margin: 14px 0; }
.figures div { border: 1px solid var(--rule); border-radius: 6px; padding: 8px 14px; max-width: 22em; }
.figures dt { color: var(--muted); }
.figures dd { margin: 0; font-size: 24px; font-weight: bold; }
.figures .remark { font-size: 12px; font-weight: normal; color: var(--muted); }
h3 { font-size: 14px; margin: 0 0 4px; }
.card { border-left: 4px solid var(--blue); padding: 4px 0 4px 12px; margin: 14px 0; max-width: 60em; }
.card.urgent { border-color: var(--orange); }
.card dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 0; }
.card dt { color: var(--muted); }
.card dd { margin: 0; overflow-wrap: anywhere; }
.advice { border-left: 4px solid var(--orange); padding: 4px 0 4px 12px; margin: 14px 0; }
@media print {
  details::details-content { content-visibility: visible; }
  .picture, .table { overflow: visible; }
  .picture svg { max-width: 100%; height: auto; }
  .picture, .figures div, .advice, .card, tr { break-inside: avoid; }
  h2, summary { break-after: avoid; }
}
)css";

std::string colours() {
    using namespace palette;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 15> all{
        {{"ink", ink},
         {"muted", muted},
         {"rule", rule},
         {"band", band},
         {"paper", paper},
         {"blue", blue},
         {"light-blue", light_blue},
         {"purple", purple},
         {"light-purple", light_purple},
         {"grey", grey},
         {"light-grey", light_grey},
         {"amber", amber},
         {"dark-amber", dark_amber},
         {"orange", orange},
         {"green", green}}};
    std::string text = ":root {";
    for (const auto& [name, value] : all) text += fmt::format(" --{}: {};", name, value);
    return text + " }\n" + std::string(dark_colours);
}

}  // namespace

std::string dark_picture_style() {
    std::string rules;
    for (const auto& [light, dark] : in_the_dark)
        rules += fmt::format(
            "  svg [fill=\"{0}\"] {{ fill: {1}; }}\n"
            "  svg [stroke=\"{0}\"] {{ stroke: {1}; }}\n",
            light, dark);
    return "@media screen and (prefers-color-scheme: dark) {\n" + rules + "}\n";
}

std::string page_style() { return colours() + dark_picture_style() + std::string(viewer_css); }

std::string begin_page(const std::string& title) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n",
        escape_xml(title), page_style(), flowing_style);
}

}  // namespace espalier::report
