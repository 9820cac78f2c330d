#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier {

/// The text without the blanks, tabs and carriage returns at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// A file's lines, trimmed, without the empty ones at its end; line numbers stay those of the file.
[[nodiscard]] std::vector<std::string_view> csv_lines(std::string_view text);

/// What parts the cells of a file whose first line this is: a comma, or a semicolon where there is
/// no comma, as programs write it in countries whose decimals have a comma. 0: neither stands
/// there.
[[nodiscard]] char csv_separator(std::string_view first_line);

/// The cells of a line, trimmed. They may stand in double quotes, with a doubled quote for a quote.
[[nodiscard]] std::vector<std::string> csv_cells(std::string_view line, char separator = ',');

/// The cell as csv_cells() reads it, in quotes where it needs them.
[[nodiscard]] std::string csv_cell(const std::string& text);

}  // namespace espalier
