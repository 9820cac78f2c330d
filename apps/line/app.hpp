#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <string>
#include <vector>

namespace espalier::line {

using Words = std::vector<std::string>;

/// The commands that are shown: not those without a group, which programs call themselves.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& app);
/// Those that are shown, with a name or without, in the order of their declaration.
[[nodiscard]] std::vector<const CLI::Option*> options_of(const CLI::App& app);
[[nodiscard]] std::vector<const CLI::Option*> positionals_of(const CLI::App& app);
/// `espalier directory add`.
[[nodiscard]] std::string full_name(const CLI::App& app);
/// What an option may be given, where its type is a list of words such as `us|ms|s`; else nothing.
[[nodiscard]] Words choices_of(const CLI::Option& option);
/// Whether a word has to follow it.
[[nodiscard]] bool takes_value(const CLI::Option& option);

}  // namespace espalier::line
