#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier {

/// The file that a shell would run for this word; nullopt where there is none.
[[nodiscard]] std::optional<std::string> find_program(const std::string& word);

/// How a command ended, and what it printed.
struct CommandOutcome {
    int status = 0;  ///< as a shell has it; 127 where it can't be started, and `errors` says why
    std::string output;
    std::string errors;
};
/// Runs a program, a word and its arguments, which reads `input`, and waits for it.
[[nodiscard]] CommandOutcome run_command(const std::vector<std::string>& words,
                                         std::string_view input = {});

/// Replaces this process by the command. Returns only if that can't be started; errno says why.
void execute(const std::vector<std::string>& words);
/// The same; throws InputError naming the program where it can't be started.
[[noreturn]] void become(const std::vector<std::string>& words);

/// A file that belongs to this installation: beside the running binary, or in the folder of its
/// libraries. nullopt where there is none.
[[nodiscard]] std::optional<std::string> find_companion(const std::string& name);

}  // namespace espalier
