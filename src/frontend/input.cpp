#include "frontend/input.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/text.hpp"
#include "directory/open_source.hpp"
#include "network/json.hpp"

#include <fmt/format.h>

namespace espalier::frontend {

namespace {

network::TimeUnit unit_of(const std::string& unit) {
    return network::parse_time_unit(unit.empty() ? std::string_view("us") : unit, "--unit");
}

}  // namespace

Input read_input(const std::string& path, const std::string& unit, const SourceOptions& source,
                 const Warn& warn) {
    if (directory::is_source(path)) {
        if (!unit.empty())
            throw InputError("--unit", "", fmt::format("{} is no CSV, but a directory", path));
        return {read_network(path, source, warn), unit_of(unit)};
    }
    refuse_source_options(path, source);
    return parse_input(read_file(path), path, unit);
}

Input parse_input(const std::string& text, const std::string& path, const std::string& unit) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const char head = first == std::string::npos ? '\0' : text[first];
    if (head == '<')
        throw InputError(path, "", "XML: espalier convert makes a network (JSON) of it");
    if (head != '{' && !path.ends_with(".json"))
        return {network::parse_pair_table(text, path), unit_of(unit)};
    if (!unit.empty())
        throw InputError("--unit", "", fmt::format("{} is no CSV, it states its own units", path));
    return {network::parse_network(text, path), unit_of(unit)};
}

bool has_format(const std::string& file, const std::string& format) {
    const std::string text = read_file(file);
    // Schedules may be very long, and are not to be parsed twice.
    if (text.find(fmt::format("\"{}\"", format)) == std::string::npos) return false;
    Json storage;
    const JsonValue document = JsonValue::parse(file, text, storage);
    if (!document.is_object()) return false;
    const auto found = document.find("format");
    return found && found->raw() == format;
}

double parse_fraction(std::string_view text, const std::string& where) {
    const bool percent = text.ends_with('%');
    const double number = parse_number(text.substr(0, text.size() - (percent ? 1 : 0)), where);
    if (number < 0) throw InputError(where, "", fmt::format("{} is negative", text));
    return percent ? number / 100 : number;
}

}  // namespace espalier::frontend
