#pragma once

#include "overview/text.hpp"
#include "report/panel.hpp"

#include <string>
#include <utility>
#include <vector>

namespace espalier::report {

// Parts of a page without scripts, between begin_page() and end_of_page. All text is escaped;
// in paragraphs and lists what stands between backticks is code.

/// The page's title, and a line below it, unless that is empty.
[[nodiscard]] std::string heading_of_page(const std::string& title, const std::string& below);
[[nodiscard]] std::string heading(const std::string& title);
[[nodiscard]] std::string picture(const Panel& panel, const std::string& label);
/// An SVG document as it is.
[[nodiscard]] std::string picture(const std::string& svg);
[[nodiscard]] std::string table(const overview::Sheet& sheet);
[[nodiscard]] std::string list(const std::vector<std::string>& lines);
/// The part that says where a page comes from and how to repeat it; without lines that are empty.
[[nodiscard]] std::string origin(std::vector<std::string> lines);
/// Empty where there are no words.
[[nodiscard]] std::string paragraph(const std::string& words);
/// A part that opens and closes at a click; `open`: as it is at first.
[[nodiscard]] std::string folded(const std::string& title, const std::string& content, bool open);

/// Something that was found: `title`, and below it what each of the words is about. `urgent` stands
/// out.
struct Card {
    std::string title;
    std::vector<std::pair<std::string, std::string>> words;
    bool urgent = false;
};
[[nodiscard]] std::string cards(const std::vector<Card>& all);

/// A number that a reader looks for first, with what it is.
struct Figure {
    std::string value;
    std::string title;
    std::string remark;  ///< small, below
};
[[nodiscard]] std::string figures(const std::vector<Figure>& all);

}  // namespace espalier::report
