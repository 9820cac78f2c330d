#include "core/json_reader.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace espalier {

namespace {

/// The line, counted from 1, on which byte `position` of a text stands.
std::ptrdiff_t line_of(std::string_view text, std::size_t position) {
    const std::string_view before = text.substr(0, std::min(position, text.size()));
    return 1 + std::count(before.begin(), before.end(), '\n');
}

/// Builds a document, and looks out for names used twice in one object. (The JSON library's own
/// parser with a callback goes through a whole array at each of its objects' ends.)
class DocumentBuilder : public nlohmann::json_sax<Json> {
public:
    DocumentBuilder(const std::string& file, const std::string& text, Json& document)
        : file_(file), text_(text), document_(document) {}

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t&) override { return put(value); }
    bool string(string_t& value) override { return put(std::move(value)); }
    bool binary(binary_t& value) override { return put(std::move(value)); }
    bool start_object(std::size_t) override {
        open(Json::object());
        open_.back().names.reserve(usual_fields);
        return true;
    }
    bool end_object() override {
        auto& names = open_.back().names;
        std::sort(names.begin(), names.end());
        const auto twice = std::adjacent_find(names.begin(), names.end());
        if (twice != names.end() && !repeated_) repeated_ = *twice;
        return close();
    }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        open_.back().names.push_back(name);
        return true;
    }
    bool parse_error(std::size_t position, const std::string& last_token,
                     const Json::exception& fault) override {
        const bool is_number = dynamic_cast<const Json::out_of_range*>(&fault) != nullptr;
        throw InputError(file_, fmt::format("line {}", line_of(text_, position)),
                         is_number       ? fmt::format("the number {} is out of range", last_token)
                         : text_.empty() ? "the file is empty"
                                         : "not JSON (cut off or misspelt here)");
    }
    void require_no_name_twice() const {
        if (repeated_) throw InputError(file_, *repeated_, "stands twice in one object");
    }

private:
    /// An array or an object, of which more is to come.
    struct Open {
        Json* value;
        std::vector<std::string> names;  ///< of an object's members so far
    };

    Json& place(Json value) {
        if (open_.empty()) return document_ = std::move(value);
        Json& parent = *open_.back().value;
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return parent.back();
        }
        return parent[open_.back().names.back()] = std::move(value);
    }
    bool put(Json value) {
        place(std::move(value));
        return true;
    }
    bool open(Json value) {
        Json& placed = place(std::move(value));
        open_.push_back({&placed, {}});
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    const std::string& file_;
    const std::string& text_;
    Json& document_;
    static constexpr std::size_t usual_fields = 8;

    std::vector<Open> open_;  ///< each inside the one before, which does not grow meanwhile
    std::optional<std::string> repeated_;
};

}  // namespace

JsonValue JsonValue::parse(const std::string& file, const std::string& text, Json& storage) {
    DocumentBuilder builder(file, text, storage);
    Json::sax_parse(text, &builder);
    builder.require_no_name_twice();
    return {file, "", storage};
}

void JsonValue::fail(const std::string& problem) const { throw InputError(file_, field_, problem); }

double JsonValue::number() const {
    if (!value_->is_number())
        fail(fmt::format("a number was expected, not {}", value_->type_name()));
    const auto number = value_->get<double>();
    if (!std::isfinite(number)) fail("not a finite number");
    if (number < 0) fail(fmt::format("{} is negative", number));
    return number;
}

double JsonValue::positive() const {
    const double value = number();
    if (value == 0) fail("0 where a positive number was expected");
    return value;
}

std::uint64_t JsonValue::count(std::uint64_t least) const {
    const double value = number();
    if (value != std::floor(value) || value > 0x1.0p53) fail("a whole number was expected");
    if (value < static_cast<double>(least)) fail(fmt::format("at least {} was expected", least));
    return static_cast<std::uint64_t>(value);
}

bool JsonValue::boolean() const {
    if (!value_->is_boolean()) fail("true or false was expected");
    return value_->get<bool>();
}

std::string JsonValue::string() const {
    if (!value_->is_string()) fail(fmt::format("a text was expected, not {}", value_->type_name()));
    auto text = value_->get<std::string>();
    if (text.empty()) fail("an empty text");
    return text;
}

std::vector<JsonValue> JsonValue::array() const {
    if (!value_->is_array())
        fail(fmt::format("an array was expected, not {}", value_->type_name()));
    std::vector<JsonValue> members;
    members.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i)
        members.push_back(child(fmt::format("{}[{}]", field_, i), (*value_)[i]));
    return members;
}

std::vector<JsonValue> JsonValue::array(std::size_t length) const {
    auto members = array();
    if (members.size() != length)
        fail(fmt::format("{} entries were expected, not {}", length, members.size()));
    return members;
}

JsonValue JsonValue::at(const std::string& name) const {
    auto value = find(name);
    if (!value) throw InputError(file_, field_.empty() ? name : field_ + "." + name, "is missing");
    return *value;
}

std::optional<JsonValue> JsonValue::find(const std::string& name) const {
    if (!value_->is_object())
        fail(fmt::format("an object was expected, not {}", value_->type_name()));
    const auto found = value_->find(name);
    if (found == value_->end()) return std::nullopt;
    return child(field_.empty() ? name : field_ + "." + name, *found);
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::fields() const {
    if (!value_->is_object())
        fail(fmt::format("an object was expected, not {}", value_->type_name()));
    std::vector<std::pair<std::string, JsonValue>> found;
    for (const auto& [name, value] : value_->items())
        found.emplace_back(name, child(field_.empty() ? name : field_ + "." + name, value));
    return found;
}

void JsonValue::allow_only(std::initializer_list<std::string_view> names) const {
    for (const auto& [name, value] : fields()) {
        if (name.starts_with("x-") || name == "measured") continue;
        if (std::find(names.begin(), names.end(), name) == names.end()) value.fail("unknown field");
    }
}

void require_format(const JsonValue& document, std::string_view format) {
    if (!document.is_object()) document.fail("not an object");
    const JsonValue stated = document.at("format");
    if (stated.string() != format)
        stated.fail(fmt::format("'{}' was expected, not '{}'", format, stated.string()));
    const JsonValue version = document.at("version");
    if (version.count() != 1)
        version.fail(fmt::format("version 1 was expected, not {}", version.count()));
}

}  // namespace espalier
