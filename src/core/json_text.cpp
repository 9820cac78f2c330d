#include "core/json_text.hpp"

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

}  // namespace

std::string to_text(const Json& document) {
    if (!document.is_object() || document.empty()) return document.dump() + "\n";
    std::string text;
    const char* separator = "{\n ";
    for (const auto& [name, value] : document.items()) {
        text += separator + Json(name).dump() + ": ";
        write_field(value, text);
        separator = ",\n ";
    }
    return text + "\n}\n";
}

}  // namespace espalier
