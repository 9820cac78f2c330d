#include "line/app.hpp"

#include <algorithm>
#include <cctype>

namespace espalier::line {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* command) {
        return !command->get_group().empty() && !command->get_name().empty();
    });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) {
        return option->nonpositional() && !option->get_group().empty();
    });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string full_name(const CLI::App& app) {
    const CLI::App* const above = app.get_parent();
    return above == nullptr ? app.get_name() : full_name(*above) + " " + app.get_name();
}

Words choices_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    if (type.find('|') == std::string::npos) return {};
    Words words(1);
    for (const char letter : type) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '|')
            words.emplace_back();
        else if (std::islower(byte) != 0 || std::isdigit(byte) != 0 || letter == '-')
            words.back() += letter;
        else
            return {};
    }
    return words;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

}  // namespace espalier::line
