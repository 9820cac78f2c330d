#pragma once

#include "line/app.hpp"

#include <optional>

namespace espalier::line {

/// Has a program and the commands that it declares from now on print help in the columns of the
/// terminal, or in 80.
void use_columns(CLI::App& app);
/// Adds the commands `help` and `completion`, which asked_help() answers.
void add_help_commands(CLI::App& app);

/// What `PROGRAM help [COMMAND]… [--man]` (or nothing, with `--pages DIR`: it writes files),
/// `PROGRAM [COMMAND]… --help` and `PROGRAM completion
/// SHELL` print, or nullopt where the words (without the program's own name) ask for none of them.
/// Throws InputError for a command that is not there.
[[nodiscard]] std::optional<std::string> asked_help(const CLI::App& app, const Words& words);

}  // namespace espalier::line
