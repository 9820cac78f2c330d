#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::report {

/// Colours that people with any of the common colour blindnesses tell apart (after Okabe and Ito).
namespace palette {
inline constexpr std::string_view ink = "#1f2933";
inline constexpr std::string_view muted = "#5f6b76";
inline constexpr std::string_view rule = "#dfe4e9";
inline constexpr std::string_view band = "#f5f7f9";
inline constexpr std::string_view paper = "#ffffff";
inline constexpr std::string_view blue = "#0072b2";
inline constexpr std::string_view light_blue = "#bcdcf0";
inline constexpr std::string_view purple = "#a0457f";
inline constexpr std::string_view light_purple = "#ecd0e2";
inline constexpr std::string_view grey = "#6e6e6e";
inline constexpr std::string_view light_grey = "#dcdcdc";
inline constexpr std::string_view amber = "#f3c14b";
inline constexpr std::string_view dark_amber = "#a06a00";
inline constexpr std::string_view orange = "#d55e00";
inline constexpr std::string_view green = "#009e73";
/// The colours of a chart's series, the most different ones first.
[[nodiscard]] std::string_view series(std::size_t index);
}  // namespace palette

/// Fit for XML text and attributes: markup escaped, and what XML or UTF-8 does not allow replaced.
[[nodiscard]] std::string escape_xml(std::string_view text);

/// The most that a line of text takes in the fonts that Svg asks for, in pixels: the reader's font
/// is not known here, so the widest of them counts.
[[nodiscard]] double text_width(std::string_view text, double font_size);

/// The y of a line of text whose letters are centred at the height `middle`.
[[nodiscard]] double baseline(double middle, double font_size);

/// A number as pictures hold it: at most two decimals, no exponent, the same everywhere.
[[nodiscard]] std::string coordinate(double value);

/// Writes one SVG document: escapes all text, closes what it opens. Lengths are pixels. The
/// document has no XML declaration, so that it may also stand inside an HTML page.
class Svg {
public:
    struct Attribute {
        Attribute(std::string_view name_, double number) : name(name_), value(coordinate(number)) {}
        Attribute(std::string_view name_, std::string_view text) : name(name_), value(text) {}
        Attribute(std::string_view name_, const char* text) : name(name_), value(text) {}
        Attribute(std::string_view name_, const std::string& text) : name(name_), value(text) {}
        std::string_view name;
        std::string value;
    };
    using Attributes = std::initializer_list<Attribute>;

    /// Open until the end of its scope.
    class Element {
    public:
        Element(const Element&) = delete;
        Element& operator=(const Element&) = delete;
        ~Element();

    private:
        friend class Svg;
        Element(Svg& svg, std::string_view tag) : svg_(svg), tag_(tag) {}
        Svg& svg_;
        std::string tag_;
    };

    /// A white page; `label` describes it to those who can't see it.
    Svg(double width, double height, std::string_view label);

    [[nodiscard]] Element open(std::string_view tag, Attributes attributes = {});
    [[nodiscard]] Element group(Attributes attributes) { return open("g", attributes); }
    /// `tooltip`, where not empty, shows when a pointer rests on the element.
    void add(std::string_view tag, Attributes attributes, std::string_view tooltip = {});
    void rect(double x, double y, double width, double height, Attributes attributes = {},
              std::string_view tooltip = {});
    void line(double x1, double y1, double x2, double y2, Attributes attributes = {});
    /// A style sheet for what follows.
    void style(std::string_view css);
    /// `y` is the baseline.
    void text(double x, double y, std::string_view content, Attributes attributes = {});

    /// The document. Every Element must be closed.
    [[nodiscard]] std::string finish() &&;

private:
    void begin(std::string_view tag, Attributes attributes);
    void write(Attributes attributes);

    std::string out_;
    std::size_t depth_ = 0;
};

}  // namespace espalier::report
