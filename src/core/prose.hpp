#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace espalier {

/// The columns that a text takes in a terminal: two for the letters of East Asian scripts and for
/// pictographs, none for marks that sit on the letter before. `text` is UTF-8.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// The columns of the terminal that a file descriptor is; 80 where it is none, or does not say.
[[nodiscard]] std::size_t columns_of_output(int descriptor);

/// The columns that tables may take there: a terminal's; elsewhere any number, so that each row
/// stays one line for programs that read it.
[[nodiscard]] std::size_t columns_of_tables(int descriptor);

/// The lines of a text, broken at blanks so that none takes more than `columns`, but for words that
/// are longer. Lines that come of a break begin with `indent` blanks more than the broken one does.
/// Blanks between words stay as they are.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns,
                                  std::size_t indent = 0);

/// A text with a capital letter at its head, where a small one of ASCII was.
[[nodiscard]] std::string capitalised(std::string_view text);

}  // namespace espalier
