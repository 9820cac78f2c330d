#include "line/manual.hpp"

#include "core/files.hpp"
#include "line/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace espalier::line {

namespace {

/// Text as roff takes it: no letter of it is a request.
std::string plain(const std::string& text) {
    std::string out;
    bool at_begin = true;
    for (const char letter : text) {
        if (at_begin && (letter == '.' || letter == '\'')) out += "\\&";
        if (letter == '\\')
            out += "\\e";
        else if (letter == '-')
            out += "\\-";
        else
            out += letter;
        at_begin = letter == '\n';
    }
    return out;
}

std::string capitals(std::string text) {
    for (char& letter : text)
        if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    return text;
}

/// `espalier-directory-add`, as its page is called.
std::string page_name(const CLI::App& command) {
    std::string name = full_name(command);
    std::ranges::replace(name, ' ', '-');
    return name;
}

std::string entry(const std::string& name, const std::string& value, const std::string& words) {
    return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", plain(name),
                       value.empty() ? "" : fmt::format(" \\fI{}\\fR", plain(value)),
                       plain(words.empty() ? "\\&" : words));
}

std::string value_of(const CLI::Option& option) {
    if (!takes_value(option)) return {};
    std::string value = option.get_type_name();
    if (!option.get_default_str().empty()) value += "=" + option.get_default_str();
    return value;
}

std::string synopsis(const CLI::App& command) {
    std::string text = fmt::format("\\fB{}\\fR [\\fIOPTIONS\\fR]", plain(full_name(command)));
    for (const CLI::Option* positional : positionals_of(command)) {
        const std::string name = positional->get_name(true, false);
        const bool needed = positional->get_required();
        text += fmt::format(" {}\\fI{}\\fR{}", needed ? "" : "[", plain(name), needed ? "" : "]");
    }
    if (!commands_of(command).empty()) text += " \\fICOMMAND\\fR";
    return text + "\n";
}

std::string options_section(const CLI::App& command) {
    std::string text;
    for (const std::string& group : command.get_groups()) {
        std::string entries;
        for (const CLI::Option* option : options_of(command))
            if (option->get_group() == group)
                entries += entry(option->get_name(false, true), value_of(*option),
                                 option->get_description());
        if (entries.empty()) continue;
        text += group == "Options" ? ".SH OPTIONS\n" : fmt::format(".SS {}\n", plain(group));
        text += entries;
    }
    return text;
}

/// Paragraphs that are filled, and lines that begin with blanks as they are.
std::string paragraphs(const std::string& footer) {
    std::string text;
    bool literal = false;
    std::istringstream lines(footer);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  ") != literal) {
            literal = !literal;
            text += literal ? ".PP\n.nf\n" : ".fi\n";
        }
        text += line.empty() ? ".PP\n" : plain(line) + "\n";
    }
    return literal ? text + ".fi\n" : text;
}

/// The program and the pages of its commands, or those beside a command.
std::string see_also(const CLI::App& command) {
    std::vector<std::string> pages;
    if (command.get_parent() != nullptr) pages.push_back(page_name(*command.get_parent()));
    for (const CLI::App* other : commands_of(command)) pages.push_back(page_name(*other));
    std::string text;
    for (const std::string& page : pages)
        text += fmt::format("{}\\fB{}\\fR(1)", text.empty() ? "" : ",\n", plain(page));
    return text.empty() ? text : ".SH SEE ALSO\n" + text + "\n";
}

}  // namespace

std::string manual_page(const CLI::App& command) {
    std::string text = fmt::format(".TH {} 1 \"\" \"espalier {}\" \"Espalier\"\n",
                                   plain(capitals(page_name(command))), ESPALIER_VERSION);
    text += fmt::format(".SH NAME\n{} \\- {}\n", plain(page_name(command)),
                        plain(command.get_description()));
    text += ".SH SYNOPSIS\n" + synopsis(command);
    std::string arguments;
    for (const CLI::Option* positional : positionals_of(command))
        arguments += entry(positional->get_name(true, false), "", positional->get_description());
    if (!arguments.empty()) text += ".SH ARGUMENTS\n" + arguments;
    text += options_section(command);
    std::string commands;
    for (const CLI::App* one : commands_of(command))
        commands += entry(one->get_name(), "", one->get_description());
    if (!commands.empty()) text += ".SH COMMANDS\n" + commands;
    if (const std::string footer = command.get_footer(); !footer.empty())
        text += ".SH NOTES\n" + paragraphs(footer);
    text += ".SH ENVIRONMENT\n";
    for (const Variable& variable : variables_of(command))
        text += entry(std::string(variable.name), std::string(variable.value),
                      std::string(variable.words));
    return text + see_also(command);
}

void write_manual_pages(const CLI::App& app, const std::string& folder) {
    write_file(fmt::format("{}/{}.1", folder, page_name(app)), manual_page(app));
    for (const CLI::App* command : commands_of(app)) write_manual_pages(*command, folder);
}

}  // namespace espalier::line
