#pragma once

#include "line/app.hpp"

#include <string>

namespace espalier::line {

/// The command of this name, or nullptr.
[[nodiscard]] const CLI::App* find_command(const CLI::App& app, const std::string& name);

/// Throws InputError where the word is neither an option nor a command: `no command has this name;
/// did you mean plan?`.
void refuse_unknown_command(const CLI::App& app, const std::string& word);

/// Throws InputError for the first word that the parser left over: an option that the command does
/// not have, or one word too many. Does nothing where none is left.
void refuse_left_over(const CLI::App& app);

/// Throws InputError for an argument of the command that is none of its choices, and says which
/// there are. Does nothing where all are.
void refuse_other_choices(const CLI::App& app);

}  // namespace espalier::line
