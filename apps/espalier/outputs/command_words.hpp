#pragma once

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace espalier::cli {

/// What was given of these options, as words for a shell, in the order in which they are declared.
[[nodiscard]] std::string words_given(const std::vector<const CLI::Option*>& options);
/// `espalier compare broadcast net.json --bytes 1024`: a command with all that was given.
[[nodiscard]] std::string command_given(const CLI::App& command);
/// A line for the part of a page that says where it comes from: by which version it was made, when
/// and by which command. The time is that of SOURCE_DATE_EPOCH, where that is set.
[[nodiscard]] std::string made_by(const CLI::App& command);

}  // namespace espalier::cli
