#pragma once

#include <string_view>

namespace espalier::report {

/// The files in viewer/, of which the page of viewer_html.hpp is made.
extern const std::string_view viewer_html;
extern const std::string_view viewer_css;
extern const std::string_view viewer_model;
extern const std::string_view viewer_viewport;
extern const std::string_view viewer_draw;
extern const std::string_view viewer_marks;
extern const std::string_view viewer_page;

}  // namespace espalier::report
