#pragma once

#include <string>
#include <string_view>

namespace espalier::report {

/// The style sheet that all pages have: the palette as variables, light or dark as the reader
/// wants, and viewer.css.
[[nodiscard]] std::string page_style();

/// A style sheet by which a picture that states colours of the palette is dark where its reader
/// wants that.
[[nodiscard]] std::string dark_picture_style();

/// A page without scripts, up to and with the beginning of its body.
[[nodiscard]] std::string begin_page(const std::string& title);
inline constexpr std::string_view end_of_page = "</body>\n</html>\n";

}  // namespace espalier::report
