#pragma once

#include <fmt/color.h>

#include <string>
#include <string_view>

namespace espalier::line {

/// A text in this look where the file descriptor is a terminal; as it is elsewhere, at a terminal
/// that knows no looks (TERM), and for who wants none (NO_COLOR, https://no-color.org).
[[nodiscard]] std::string styled(std::string_view text, const fmt::text_style& look,
                                 int descriptor);

/// `espalier: …` on standard error, of what went wrong: one line, whatever the text holds; at a
/// terminal as many as its columns ask for.
void complain(std::string_view text);
/// `espalier: warning: …` likewise.
void warn(const std::string& text);

}  // namespace espalier::line
