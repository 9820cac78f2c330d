#pragma once

#include <string>

namespace espalier::report {

/// The style sheet that all pages have: the palette as variables, and viewer.css.
[[nodiscard]] std::string page_style();

}  // namespace espalier::report
