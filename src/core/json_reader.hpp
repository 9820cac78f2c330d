#pragma once

#include "core/json.hpp"
#include "core/units.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace espalier {

/// A JSON value together with the file and the field where it stands, so that every complaint names
/// both. All reading of our formats goes through it; it throws InputError and nothing else.
class JsonValue {
public:
    /// Parses a whole document. Rejects what is not JSON and names used twice in one object.
    static JsonValue parse(const std::string& file, const std::string& text, Json& storage);

    JsonValue(std::string file, std::string field, const Json& value)
        : file_(std::move(file)), field_(std::move(field)), value_(&value) {}

    [[nodiscard]] const Json& raw() const { return *value_; }
    [[nodiscard]] const std::string& file() const { return file_; }
    /// The field's place in the file: `nodes[2].name`; empty for the whole document.
    [[nodiscard]] const std::string& field() const { return field_; }
    [[nodiscard]] bool is_null() const { return value_->is_null(); }
    [[nodiscard]] bool is_object() const { return value_->is_object(); }
    [[nodiscard]] bool is_array() const { return value_->is_array(); }
    [[nodiscard]] bool is_number() const { return value_->is_number(); }

    /// A finite number >= 0 (every quantity of our formats is one).
    [[nodiscard]] double number() const;
    /// A finite number > 0.
    [[nodiscard]] double positive() const;
    /// A whole number in [least, 2^53].
    [[nodiscard]] std::uint64_t count(std::uint64_t least = 0) const;
    [[nodiscard]] bool boolean() const;
    /// The string, which must not be empty.
    [[nodiscard]] std::string string() const;
    [[nodiscard]] std::vector<JsonValue> array() const;
    /// The array, which must have exactly `length` members.
    [[nodiscard]] std::vector<JsonValue> array(std::size_t length) const;

    /// A field of this object: must be there / may be missing.
    [[nodiscard]] JsonValue at(const std::string& name) const;
    [[nodiscard]] std::optional<JsonValue> find(const std::string& name) const;
    [[nodiscard]] bool has(const std::string& name) const { return find(name).has_value(); }
    /// All fields of this object, in the order of the file.
    [[nodiscard]] std::vector<std::pair<std::string, JsonValue>> fields() const;
    /// Requires an object without other fields than these, `measured` and those that begin with
    /// `x-`.
    void allow_only(std::initializer_list<std::string_view> names) const;

    /// Throws an InputError that names this file and field.
    [[noreturn]] void fail(const std::string& problem) const;

private:
    [[nodiscard]] JsonValue child(const std::string& field, const Json& value) const {
        return {file_, field, value};
    }

    std::string file_;
    std::string field_;
    const Json* value_;
};

/// Checks `"format"` and `"version": 1` of a document.
void require_format(const JsonValue& document, std::string_view format);

}  // namespace espalier
