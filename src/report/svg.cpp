#include "report/svg.hpp"

#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace espalier::report {

namespace {

struct CodePoint {
    std::uint32_t value = 0;
    std::size_t length = 1;
};

/// The code point at the head of `text`; nullopt where the bytes are not UTF-8.
std::optional<CodePoint> decode(std::string_view text) {
    const auto byte = [&](std::size_t index) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[index]));
    };
    const std::uint32_t first = byte(0);
    if (first < 0x80) return CodePoint{first, 1};
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return std::nullopt;
    std::uint32_t value = first & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) return std::nullopt;
        value = (value << 6) | (byte(i) & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    if (value < least.at(length) || value > 0x10ffff) return std::nullopt;
    return CodePoint{value, length};
}

bool allowed_in_xml(std::uint32_t code) {
    if (code < 0x20) return code == '\t' || code == '\n';
    return (code < 0xd800 || code > 0xdfff) && code != 0xfffe && code != 0xffff;
}

/// Advance width in ems, of the wider sans-serif faces.
double advance(std::uint32_t code) {
    if (code >= 0x1100) return 1.1;
    if (code >= 0x80) return 0.8;
    const auto is_one_of = [&](std::string_view set) {
        return set.find(static_cast<char>(code)) != std::string_view::npos;
    };
    if (is_one_of("ijl.,:;'|!I ")) return 0.34;
    if (is_one_of("frt()[]{}-/\\\"")) return 0.42;
    if (is_one_of("mwMW@%&+=<>~#")) return 0.99;
    if (code >= 'A' && code <= 'Z') return 0.76;
    return 0.64;
}

}  // namespace

std::string_view palette::series(std::size_t index) {
    constexpr std::array<std::string_view, 8> colours{"#0072b2", "#d55e00", "#009e73", "#a0457f",
                                                      "#b58900", "#3b9ad9", "#000000", "#7a5c3e"};
    return colours.at(index % colours.size());
}

std::string escape_xml(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::optional<CodePoint> code = decode(text);
        const std::size_t length = code ? code->length : 1;
        if (!code || !allowed_in_xml(code->value)) {
            out += "\xef\xbf\xbd";
        } else if (code->value == '&') {
            out += "&amp;";
        } else if (code->value == '<') {
            out += "&lt;";
        } else if (code->value == '>') {
            out += "&gt;";
        } else if (code->value == '"') {
            out += "&quot;";
        } else if (code->value == '\n') {
            out += "&#10;";
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return out;
}

double text_width(std::string_view text, double font_size) {
    double ems = 0;
    while (!text.empty()) {
        const std::optional<CodePoint> code = decode(text);
        ems += code ? advance(code->value) : 1.1;
        text.remove_prefix(code ? code->length : 1);
    }
    return ems * font_size;
}

double baseline(double middle, double font_size) { return middle + 0.35 * font_size; }

std::string coordinate(double value) {
    assert(std::isfinite(value));
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

Svg::Element::~Element() {
    fmt::format_to(std::back_inserter(svg_.out_), "</{}>\n", tag_);
    --svg_.depth_;
}

Svg::Svg(double width, double height, std::string_view label) {
    const std::string w = coordinate(width);
    const std::string h = coordinate(height);
    begin("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                  {"width", w},
                  {"height", h},
                  {"viewBox", fmt::format("0 0 {} {}", w, h)},
                  {"font-family", "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"},
                  {"role", "img"},
                  {"aria-label", label}});
    out_ += ">\n";
    rect(0, 0, width, height, {{"fill", palette::paper}});
}

Svg::Element Svg::open(std::string_view tag, Attributes attributes) {
    begin(tag, attributes);
    out_ += ">\n";
    ++depth_;
    return {*this, tag};
}

void Svg::add(std::string_view tag, Attributes attributes, std::string_view tooltip) {
    begin(tag, attributes);
    if (tooltip.empty())
        out_ += "/>\n";
    else
        fmt::format_to(std::back_inserter(out_), "><title>{}</title></{}>\n", escape_xml(tooltip),
                       tag);
}

void Svg::rect(double x, double y, double width, double height, Attributes attributes,
               std::string_view tooltip) {
    begin("rect", {{"x", x}, {"y", y}, {"width", width}, {"height", height}});
    write(attributes);
    if (tooltip.empty())
        out_ += "/>\n";
    else
        fmt::format_to(std::back_inserter(out_), "><title>{}</title></rect>\n",
                       escape_xml(tooltip));
}

void Svg::line(double x1, double y1, double x2, double y2, Attributes attributes) {
    begin("line", {{"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}});
    write(attributes);
    out_ += "/>\n";
}

void Svg::style(std::string_view css) {
    fmt::format_to(std::back_inserter(out_), "<style>{}</style>\n", escape_xml(css));
}

void Svg::text(double x, double y, std::string_view content, Attributes attributes) {
    begin("text", {{"x", x}, {"y", y}});
    write(attributes);
    fmt::format_to(std::back_inserter(out_), ">{}</text>\n", escape_xml(content));
}

std::string Svg::finish() && {
    assert(depth_ == 0);
    out_ += "</svg>\n";
    return std::move(out_);
}

void Svg::begin(std::string_view tag, Attributes attributes) {
    fmt::format_to(std::back_inserter(out_), "<{}", tag);
    write(attributes);
}

void Svg::write(Attributes attributes) {
    for (const Attribute& attribute : attributes)
        fmt::format_to(std::back_inserter(out_), " {}=\"{}\"", attribute.name,
                       escape_xml(attribute.value));
}

}  // namespace espalier::report
