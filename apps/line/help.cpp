#include "line/help.hpp"

#include "core/error.hpp"
#include "core/prose.hpp"
#include "line/completion.hpp"
#include "line/manual.hpp"
#include "line/message.hpp"
#include "line/suggest.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

namespace espalier::line {

namespace {

constexpr std::size_t left_column = 28;

/// `Usage:` and the like at the heads of lines.
std::string with_bold_headings(const std::string& text) {
    std::string shown;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(':');
        const bool is_heading = line.starts_with("Usage:") ||
                                (line.ends_with(':') && line.find(' ') == std::string::npos);
        if (is_heading)
            line = styled(line.substr(0, colon), fmt::emphasis::bold, STDOUT_FILENO) +
                   line.substr(colon);
        shown += line + "\n";
    }
    return shown;
}

class HelpFormatter final : public CLI::Formatter {
public:
    explicit HelpFormatter(std::size_t columns) : columns_(columns) {}

    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override {
        return with_bold_headings(CLI::Formatter::make_help(app, std::move(name), mode));
    }
    std::string make_description(const CLI::App* app) const override {
        return wrapped(app->get_description(), columns_) + "\n\n";
    }
    std::string make_usage(const CLI::App* app, std::string name) const override {
        return wrapped(without_end(CLI::Formatter::make_usage(app, std::move(name))), columns_, 4) +
               "\n";
    }
    std::string make_group(std::string group, bool is_positional,
                           std::vector<const CLI::Option*> options) const override {
        std::string text = "\n" + group + ":\n";
        for (const CLI::Option* option : options) text += make_option(option, is_positional);
        return text;
    }
    std::string make_option(const CLI::Option* option, bool is_positional) const override {
        const std::string name = make_option_name(option, is_positional);
        return entry(is_positional ? name : name + make_option_opts(option),
                     option->get_description());
    }
    std::string make_subcommand(const CLI::App* command) const override {
        return entry(command->get_name(), command->get_description());
    }
    std::string make_footer(const CLI::App* app) const override {
        const std::string footer = app->get_footer();
        return footer.empty() ? footer : wrapped(footer, columns_, 4) + "\n";
    }

private:
    [[nodiscard]] static std::string without_end(std::string line) {
        while (line.ends_with('\n')) line.pop_back();
        return line;
    }
    /// A name, and what is said of it in a column at its right; below it where it is too long.
    [[nodiscard]] std::string entry(const std::string& name, const std::string& words) const {
        const std::string left = "  " + name;
        const std::string margin(left_column, ' ');
        const std::string said = wrapped(margin + words, columns_);
        if (words.empty()) return wrapped(left, columns_, 2) + "\n";
        if (columns_of(left) + 2 > left_column)
            return wrapped(left, columns_, 2) + "\n" + said + "\n";
        return left + said.substr(columns_of(left)) + "\n";
    }

    std::size_t columns_;
};

const CLI::App& command_of(const CLI::App& app, const Words& names) {
    const CLI::App* found = &app;
    for (const std::string& name : names) {
        refuse_unknown_command(*found, name);
        found = find_command(*found, name);
    }
    return *found;
}

std::string help_of(const CLI::App& command) {
    return command.help(command.get_parent() == nullptr ? "" : full_name(*command.get_parent()));
}

}  // namespace

void use_columns(CLI::App& app) {
    app.formatter(std::make_shared<HelpFormatter>(columns_of_output(STDOUT_FILENO)));
}

void add_help_commands(CLI::App& app) {
    CLI::App* const help = app.add_subcommand("help", "say what a command does, and its options");
    help->add_option_function<Words>(
            "COMMAND", [](const Words&) {}, "whose help; else all commands")
        ->type_name("");
    help->add_flag_function(
        "--man", [](std::int64_t) {}, "as a manual page, in roff");
    help->add_option_function<std::string>(
            "--pages", [](const std::string&) {},
            "write the manual pages of all commands into this folder")
        ->type_name("DIR");
    // asked_help() answers whatever else there is to ask.
    help->final_callback([] {
        throw InputError("--pages", "", "of all commands, and with nothing else behind it");
    });
    CLI::App* const completion =
        app.add_subcommand("completion", "print what a shell completes command lines by");
    completion
        ->add_option_function<std::string>(
            "SHELL", [](const std::string&) {}, "bash, zsh or fish")
        ->type_name("bash|zsh|fish")
        ->required();
}

std::optional<std::string> asked_help(const CLI::App& app, const Words& words) {
    if (words.empty()) return std::nullopt;
    if (words.front() == "completion" && words.size() == 2 && !words.back().starts_with('-'))
        return completion(app, words.back());
    const bool by_option = words.back() == "--help" || words.back() == "-h";
    if (words.front() == "help" && !by_option) {
        Words names(words.begin() + 1, words.end());
        if (names.size() == 2 && names.front() == "--pages") {
            write_manual_pages(app, names.back());
            return "";
        }
        const auto flags = std::erase(names, "--man");
        if (std::ranges::any_of(names, [](const auto& word) { return word.starts_with('-'); }))
            return std::nullopt;
        const CLI::App& command = command_of(app, names);
        return flags > 0 ? manual_page(command) : help_of(command);
    }
    if (!by_option) return std::nullopt;
    // Between a command and the option anything may stand.
    const CLI::App* command = &app;
    for (const std::string& name : words) {
        const CLI::App* const next = find_command(*command, name);
        if (next == nullptr) break;
        command = next;
    }
    return help_of(*command);
}

}  // namespace espalier::line
