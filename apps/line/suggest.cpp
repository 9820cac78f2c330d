#include "line/suggest.hpp"

#include "core/error.hpp"
#include "core/nearest_word.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::line {

namespace {

/// The command that the line went into, and its own in it.
const CLI::App& innermost(const CLI::App& app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : innermost(*parsed.front());
}

/// `; did you mean espalier plan broadcast?`: for a word that a command takes, not one of them.
std::string meant_argument(const CLI::App& app, const std::string& word) {
    for (const CLI::App* command : commands_of(app))
        for (const CLI::Option* argument : positionals_of(*command)) {
            const Words choices = choices_of(*argument);
            const auto meant = meant_by(word, {choices.begin(), choices.end()});
            if (!meant.empty())
                return fmt::format("; did you mean {} {}?", full_name(*command), meant.front());
        }
    return {};
}

}  // namespace

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
    const auto commands = commands_of(app);
    const auto found = std::ranges::find_if(
        commands, [&](const CLI::App* command) { return command->get_name() == name; });
    return found == commands.end() ? nullptr : *found;
}

void refuse_unknown_command(const CLI::App& app, const std::string& word) {
    if (word.starts_with('-') || find_command(app, word) != nullptr) return;
    const auto commands = commands_of(app);
    std::vector<std::string> names;
    for (const CLI::App* command : commands) names.push_back(command->get_name());
    std::string near = did_you_mean(word, {names.begin(), names.end()});
    if (near.empty()) near = meant_argument(app, word);
    throw InputError(
        word, "",
        "no command has this name" +
            (near.empty() ? fmt::format("; {} --help lists them", full_name(app)) : near));
}

void refuse_left_over(const CLI::App& app) {
    const Words left = app.remaining(true);
    if (left.empty()) return;
    const CLI::App& command = innermost(app);
    const auto option =
        std::ranges::find_if(left, [](const auto& word) { return word.starts_with('-'); });
    if (option == left.end())
        throw InputError(
            left.front(), "",
            fmt::format("one word too many; {} --help says what it takes", full_name(command)));
    const std::string name = option->substr(0, option->find('='));
    std::vector<std::string> names;
    for (const CLI::Option* known : options_of(command))
        for (const std::string& one : known->get_lnames()) names.push_back("--" + one);
    const std::string near = did_you_mean(name, {names.begin(), names.end()});
    throw InputError(
        name, "",
        fmt::format(
            "{} has no such option{}", full_name(command),
            near.empty() ? fmt::format("; {} --help lists them", full_name(command)) : near));
}

void refuse_other_choices(const CLI::App& app) {
    for (const CLI::Option* argument : positionals_of(innermost(app))) {
        const Words choices = choices_of(*argument);
        if (choices.empty()) continue;
        for (const std::string& word : argument->results())
            if (std::ranges::find(choices, word) == choices.end())
                throw InputError(word, "",
                                 fmt::format("is none of {}{}", fmt::join(choices, ", "),
                                             did_you_mean(word, {choices.begin(), choices.end()})));
    }
}

}  // namespace espalier::line
