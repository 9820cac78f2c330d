#pragma once

#include <optional>
#include <string>
#include <vector>

namespace espalier::cli {

/// The environment variable, or an empty text.
[[nodiscard]] std::string environment(const std::string& name);

/// The file that a shell would run for this word; nullopt where there is none.
[[nodiscard]] std::optional<std::string> find_program(const std::string& word);

/// What came of a command. It can read nothing.
struct ProcessOutcome {
    int status = 0;  ///< its exit status; 127 where it can't be started, above 127 for a signal
    std::string output;
    std::string errors;
};
[[nodiscard]] ProcessOutcome outcome_of(const std::vector<std::string>& words);
/// What a command writes to its standard output; empty where it can't be started or fails.
[[nodiscard]] std::string output_of(const std::vector<std::string>& words);

/// This process becomes the command, and so has its exit status. Throws InputError naming the
/// program where it can't be started.
[[noreturn]] void become(const std::vector<std::string>& words);

/// A file that belongs to this installation: beside the running binary, or in the folder of its
/// libraries. nullopt where there is none.
[[nodiscard]] std::optional<std::string> find_companion(const std::string& name);

}  // namespace espalier::cli
