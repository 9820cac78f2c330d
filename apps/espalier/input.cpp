#include "input.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "directory/open_source.hpp"
#include "network/json.hpp"

#include <fmt/format.h>

namespace espalier::cli {

Input read_input(const std::string& path, const std::string& unit, const SourceOptions& source) {
    const auto parsed_unit =
        network::parse_time_unit(unit.empty() ? std::string_view("us") : unit, "--unit");
    if (directory::is_source(path)) {
        if (!unit.empty())
            throw InputError("--unit", "", fmt::format("{} is no CSV, but a directory", path));
        return {read_network(path, source), parsed_unit};
    }
    refuse_source_options(path, source);
    const std::string text = read_file(path);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const char head = first == std::string::npos ? '\0' : text[first];
    if (head == '<')
        throw InputError(path, "", "XML can't be read: a network (JSON) or a CSV was expected");
    if (head != '{' && !path.ends_with(".json"))
        return {network::parse_pair_table(text, path), parsed_unit};
    if (!unit.empty())
        throw InputError("--unit", "", fmt::format("{} is no CSV, it states its own units", path));
    return {network::parse_network(text, path), parsed_unit};
}

double parse_fraction(std::string_view text, const std::string& where) {
    const bool percent = text.ends_with('%');
    const double number = parse_number(text.substr(0, text.size() - (percent ? 1 : 0)), where);
    if (number < 0) throw InputError(where, "", fmt::format("{} is negative", text));
    return percent ? number / 100 : number;
}

}  // namespace espalier::cli
