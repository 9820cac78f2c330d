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

/// What stands between the quotes of the JSON library's complaint.
std::string quoted_in(std::string_view complaint) {
    const std::size_t first = complaint.find('\'') + 1;
    return std::string(complaint.substr(first, complaint.rfind('\'') - first));
}

/// Builds a document, and looks out for names used twice in one object. (The JSON library's own
/// parser with a callback goes through a whole array at each of its objects' ends.)
class DocumentBuilder : public nlohmann::json_sax<Json> {
public:
    explicit DocumentBuilder(Json& document) : builder_(document) {}
    [[nodiscard]] const std::optional<std::string>& repeated() const { return repeated_; }

    bool null() override { return builder_.null(); }
    bool boolean(bool value) override { return builder_.boolean(value); }
    bool number_integer(number_integer_t value) override { return builder_.number_integer(value); }
    bool number_unsigned(number_unsigned_t value) override {
        return builder_.number_unsigned(value);
    }
    bool number_float(number_float_t value, const string_t& text) override {
        return builder_.number_float(value, text);
    }
    bool string(string_t& value) override { return builder_.string(value); }
    bool binary(binary_t& value) override { return builder_.binary(value); }
    bool start_object(std::size_t elements) override {
        if (++depth_ > names_.size()) names_.emplace_back();
        return builder_.start_object(elements);
    }
    bool key(string_t& name) override {
        names_[depth_ - 1].push_back(name);
        return builder_.key(name);
    }
    bool end_object() override {
        auto& names = names_[--depth_];
        std::sort(names.begin(), names.end());
        const auto twice = std::adjacent_find(names.begin(), names.end());
        if (twice != names.end() && !repeated_) repeated_ = *twice;
        names.clear();
        return builder_.end_object();
    }
    bool start_array(std::size_t elements) override { return builder_.start_array(elements); }
    bool end_array() override { return builder_.end_array(); }
    bool parse_error(std::size_t position, const std::string& last_token,
                     const Json::exception& fault) override {
        // It throws by the type of the fault.
        if (const auto* parse = dynamic_cast<const Json::parse_error*>(&fault))
            return builder_.parse_error(position, last_token, *parse);
        if (const auto* range = dynamic_cast<const Json::out_of_range*>(&fault))
            return builder_.parse_error(position, last_token, *range);
        return builder_.parse_error(position, last_token, fault);
    }

private:
    nlohmann::detail::json_sax_dom_parser<Json> builder_;
    std::vector<std::vector<std::string>> names_;  ///< of the objects that are open
    std::size_t depth_ = 0;
    std::optional<std::string> repeated_;
};

}  // namespace

JsonValue JsonValue::parse(const std::string& file, const std::string& text, Json& storage) {
    DocumentBuilder builder(storage);
    try {
        Json::sax_parse(text, &builder);
    } catch (const Json::parse_error& fault) {
        throw InputError(
            file, fmt::format("line {}", line_of(text, fault.byte)),
            text.empty() ? "the file is empty" : "not JSON (cut off or misspelt here)");
    } catch (const Json::out_of_range& fault) {
        const std::string number = quoted_in(fault.what());
        throw InputError(file, fmt::format("line {}", line_of(text, text.find(number))),
                         fmt::format("the number {} is out of range", number));
    }
    if (builder.repeated())
        throw InputError(file, *builder.repeated(), "stands twice in one object");
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
