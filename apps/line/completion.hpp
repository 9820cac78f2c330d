#pragma once

#include "line/app.hpp"

namespace espalier::line {

/// A script by which a shell (bash, zsh or fish) completes a program's commands, options and what
/// options may be given; files elsewhere. Throws InputError for another shell.
[[nodiscard]] std::string completion(const CLI::App& app, const std::string& shell);
/// In single quotes of a shell.
[[nodiscard]] std::string shell_quoted(const std::string& text);

}  // namespace espalier::line
