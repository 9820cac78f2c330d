#include "core/json_text.hpp"

#include "core/json_reader.hpp"

#include <utility>

namespace espalier {

namespace {

/// Whether an entry deserves a line of its own: names and numbers share theirs.
bool is_structured(const Json& array) {
    return array.is_array() && !array.empty() && array.front().is_structured();
}

void write_field(const Json& value, std::string& text) {
    if (!is_structured(value)) {
        text += value.dump();
        return;
    }
    text += '[';
    const char* separator = "\n  ";
    for (const Json& entry : value) {
        text += separator + entry.dump();
        separator = ",\n  ";
    }
    text += "\n ]";
}

void begin_field(std::string& text, const std::string& name) {
    text += text.empty() ? "{\n " : ",\n ";
    text += Json(name).dump() + ": ";
}

}  // namespace

std::string to_text(const Json& document) {
    if (!document.is_object() || document.empty()) return document.dump() + "\n";
    return end_text(begin_text(document));
}

std::string begin_text(const Json& first_fields) {
    std::string text;
    for (const auto& [name, value] : first_fields.items()) append_field(text, name, value);
    return text;
}

void append_field(std::string& text, const std::string& name, const Json& value) {
    begin_field(text, name);
    write_field(value, text);
}

void append_list(std::string& text, const std::string& name, std::size_t count,
                 const std::function<Json(std::size_t)>& entry) {
    begin_field(text, name);
    if (count == 0) {
        text += "[]";
        return;
    }
    text += '[';
    for (std::size_t i = 0; i < count; ++i) {
        text += i == 0 ? "\n  " : ",\n  ";
        text += entry(i).dump();
    }
    text += "\n ]";
}

std::string end_text(std::string text) { return std::move(text) + "\n}\n"; }

}  // namespace espalier
