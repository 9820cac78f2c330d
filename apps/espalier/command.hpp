#pragma once

#include "line/app.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::cli {

using line::Words;

/// Words of the command line that another program is to read.
struct Passed {
    Words options;
    Words program;
};

/// The work of a command, once its options were read. Throws espalier::Error.
using Action = std::function<void(const Passed&)>;

/// A command line whose foreign words were taken out.
struct Split {
    Words own;
    Passed passed;
};

/// One line of the table of commands.
struct Command {
    std::string_view name;
    std::string_view summary;
    /// Declares the options, and binds what is to be done with them.
    Action (*add)(CLI::App& app);
    /// Lines by which it may be called in a clone; empty: none.
    std::string_view examples;
    /// Takes the words that the command passes on out of the line, before any option is read; null
    /// if it passes none on.
    Split (*split)(const Words& words) = nullptr;
};

/// All commands, in the order of the help text.
[[nodiscard]] std::span<const Command> commands();

/// Reads the command line (without the program's own name) and does what it says. Throws
/// espalier::Error, and CLI::ParseError for help, version and wrong usage.
void run_command_line(const Words& words);

}  // namespace espalier::cli
