#include "outputs/command_words.hpp"

#include "core/environment.hpp"
#include "line/completion.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace espalier::cli {

namespace {

std::string for_a_shell(const std::string& word) {
    const auto is_plain = [](unsigned char letter) {
        return std::isalnum(letter) != 0 ||
               std::string_view("_-./:,=@%+").find(static_cast<char>(letter)) !=
                   std::string_view::npos;
    };
    if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
    return line::shell_quoted(word);
}

std::time_t now() {
    const auto fixed = environment("SOURCE_DATE_EPOCH");
    return fixed ? static_cast<std::time_t>(std::strtoll(fixed->c_str(), nullptr, 10))
                 : std::time(nullptr);
}

}  // namespace

std::string words_given(const std::vector<const CLI::Option*>& options) {
    std::string words;
    for (const CLI::Option* option : options) {
        if (option->count() == 0) continue;
        const std::string name = option->nonpositional() ? " " + option->get_name() : "";
        const bool is_flag = option->get_items_expected_max() == 0;
        if (is_flag)
            words += name;
        else
            for (const std::string& value : option->results())
                words += name + " " + for_a_shell(value);
    }
    return words.empty() ? words : words.substr(1);
}

std::string command_given(const CLI::App& command) {
    return fmt::format("espalier {} {}", command.get_name(), words_given(command.get_options()));
}

std::string made_by(const CLI::App& command) {
    return fmt::format("This page: espalier " ESPALIER_VERSION ", {:%Y-%m-%d %H:%M} UTC, by `{}`.",
                       fmt::gmtime(now()), command_given(command));
}

}  // namespace espalier::cli
