#include "line/completion.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace espalier::line {

namespace {

/// The name of a shell's function for a program.
std::string function_of(const CLI::App& app) {
    std::string name = "_" + app.get_name();
    std::ranges::replace(name, '-', '_');
    return name;
}

/// Calls for a program and each of its commands, the outer before the inner.
void for_each_command(const CLI::App& app, const std::function<void(const CLI::App&)>& call) {
    call(app);
    for (const CLI::App* command : commands_of(app)) for_each_command(*command, call);
}

Words names_of(const CLI::Option& option) {
    Words names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

/// What an argument may be, as far as words are known for it: a COMMAND is one of the program's.
Words choices_at(const CLI::App& command, const CLI::Option& positional) {
    if (positional.get_name(true, false) != "COMMAND") return choices_of(positional);
    const CLI::App* program = &command;
    while (program->get_parent() != nullptr) program = program->get_parent();
    Words names;
    for (const CLI::App* one : commands_of(*program)) names.push_back(one->get_name());
    return names;
}

/// What may stand first behind a command's name: commands, or the choices of its first argument.
Words first_words(const CLI::App& command) {
    Words words;
    for (const CLI::App* inner : commands_of(command)) words.push_back(inner->get_name());
    const auto positionals = positionals_of(command);
    if (!positionals.empty()) {
        const Words choices = choices_at(command, *positionals.front());
        words.insert(words.end(), choices.begin(), choices.end());
    }
    return words;
}

std::string joined(const Words& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string bash(const CLI::App& app) {
    std::string inner;
    std::string values;
    std::string words;
    for_each_command(app, [&](const CLI::App& command) {
        const std::string path = full_name(command);
        if (command.get_parent() != nullptr)
            inner += fmt::format("            {}) path={} place=0 ;;\n", shell_quoted(path),
                                 shell_quoted(path));
        Words options;
        for (const CLI::Option* option : options_of(command)) {
            const Words names = names_of(*option);
            options.insert(options.end(), names.begin(), names.end());
            if (!takes_value(*option)) continue;
            for (const std::string& name : names)
                values += fmt::format("        {}) choices={} ;;\n",
                                      shell_quoted(fmt::format("{} {}", path, name)),
                                      shell_quoted(joined(choices_of(*option))));
        }
        words +=
            fmt::format("        {}) options={} first={} ;;\n", shell_quoted(path),
                        shell_quoted(joined(options)), shell_quoted(joined(first_words(command))));
    });
    return fmt::format(R"(# bash completion of {0}
{1}() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} path={0} place=0 i choices options first
    for ((i = 1; i < COMP_CWORD; ++i)); do
        ((++place))
        case "$path ${{COMP_WORDS[i]}}" in
{2}        esac
    done
    COMPREPLY=()
    choices=-
    case "$path ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{3}    esac
    if [[ $choices != - ]]; then
        [[ -z $choices ]] || COMPREPLY=($(compgen -W "$choices" -- "$current"))
        return
    fi
    case "$path" in
{4}    esac
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    elif ((place == 0)) && [[ -n $first ]]; then
        COMPREPLY=($(compgen -W "$first" -- "$current"))
    fi
}}
complete -o default -F {1} {0}
)",
                       app.get_name(), function_of(app), inner, values, words);
}

/// A text inside the brackets of zsh's _arguments.
std::string in_brackets(const std::string& text) {
    std::string out;
    for (const char letter : text) {
        if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') out += '\\';
        out += letter;
    }
    return out;
}

std::string zsh_arguments(const CLI::App& command) {
    std::string text = "_arguments";
    const auto action = [](const Words& choices) {
        return choices.empty() ? std::string("_files") : "(" + joined(choices) + ")";
    };
    for (const CLI::Option* option : options_of(command)) {
        const Words names = names_of(*option);
        for (const std::string& name : names) {
            std::string spec = name + "[" + in_brackets(option->get_description()) + "]";
            if (takes_value(*option)) spec += ":value:" + action(choices_of(*option));
            text += " \\\n                " + shell_quoted(spec);
        }
    }
    for (const CLI::Option* positional : positionals_of(command)) {
        const bool many = positional->get_items_expected_max() > 1;
        text +=
            " \\\n                " +
            shell_quoted(fmt::format("{}:{}:{}", many ? "*" : "", positional->get_name(true, false),
                                     action(choices_at(command, *positional))));
    }
    return text;
}

std::string zsh(const CLI::App& app) {
    std::string cases;
    std::string descends;
    for_each_command(app, [&](const CLI::App& command) {
        const std::string path = full_name(command);
        if (command.get_parent() != nullptr)
            descends += fmt::format("            {}) path={} taken=$i ;;\n", shell_quoted(path),
                                    shell_quoted(path));
        const auto inner = commands_of(command);
        std::string body;
        if (inner.empty()) {
            body = zsh_arguments(command);
        } else {
            Words all;
            for (const CLI::App* one : inner)
                all.push_back(shell_quoted(in_brackets(one->get_name()) + ":" +
                                           in_brackets(one->get_description())));
            body = fmt::format("local -a commands=({})\n            _describe command commands",
                               joined(all));
        }
        cases +=
            fmt::format("        {})\n            {}\n            ;;\n", shell_quoted(path), body);
    });
    return fmt::format(R"(#compdef {0}
{1}() {{
    local path={0} taken=1 i
    for ((i = 2; i < CURRENT; ++i)); do
        case "$path $words[i]" in
{2}        esac
    done
    shift $((taken - 1)) words
    ((CURRENT -= taken - 1))
    case "$path" in
{3}    esac
}}
{1} "$@"
)",
                       app.get_name(), function_of(app), descends, cases);
}

/// The options of a command, and what may stand first behind it, once it is clear that a line is
/// about it.
std::string fish_command(const CLI::App& command, const std::string& start, const std::string& at) {
    const std::string path = full_name(command);
    const auto condition = [&](const char* place) {
        return " -n " + shell_quoted(fmt::format("{} \"{}\"{}", at, path, place));
    };
    std::string text;
    for (const CLI::App* one : commands_of(command))
        text += fmt::format("{}{} -f -a {} -d {}\n", start, condition(" 0"), one->get_name(),
                            shell_quoted(one->get_description()));
    const auto positionals = positionals_of(command);
    if (const Words choices = positionals.empty() ? Words() : choices_at(command, *positionals[0]);
        !choices.empty())
        text +=
            fmt::format("{}{} -f -a {}\n", start, condition(" 0"), shell_quoted(joined(choices)));
    for (const CLI::Option* option : options_of(command)) {
        std::string names;
        for (const std::string& name : option->get_snames()) names += " -s " + name;
        for (const std::string& name : option->get_lnames()) names += " -l " + name;
        const Words choices = choices_of(*option);
        if (takes_value(*option))
            names += choices.empty() ? " -r" : " -x -a " + shell_quoted(joined(choices));
        text += fmt::format("{}{}{} -d {}\n", start, condition(""), names,
                            shell_quoted(option->get_description()));
    }
    return text;
}

std::string fish(const CLI::App& app) {
    const std::string at = "_" + function_of(app) + "_at";
    std::string paths;
    std::string commands;
    for_each_command(app, [&](const CLI::App& command) {
        if (command.get_parent() != nullptr) paths += " " + shell_quoted(full_name(command));
        commands += fish_command(command, "complete -c " + app.get_name(), at);
    });
    return fmt::format(R"(# fish completion of {0}
function {1} -d 'Whether a line is about command $argv[1], with $argv[2] words behind it'
    set -l path {0}
    set -l place 0
    for word in (commandline -opc)[2..-1]
        set place (math $place + 1)
        if contains -- "$path $word"{2}
            set path "$path $word"
            set place 0
        end
    end
    test "$path" = $argv[1]; and begin
        not set -q argv[2]; or test $place = $argv[2]
    end
end
{3})",
                       app.get_name(), at, paths, commands);
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& shell) {
    if (shell == "bash") return bash(app);
    if (shell == "zsh") return zsh(app);
    if (shell == "fish") return fish(app);
    throw InputError(shell, "", "no completion is made for it; bash, zsh and fish have one");
}

std::string shell_quoted(const std::string& text) {
    std::string out = "'";
    for (const char letter : text)
        out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return out + "'";
}

}  // namespace espalier::line
