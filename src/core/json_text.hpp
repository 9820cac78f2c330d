#pragma once

#include "core/json.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace espalier {

/// A document as text for people and programs: a line for each field, and for each entry of its
/// arrays; ends with a line end. Numbers come back exactly.
[[nodiscard]] std::string to_text(const Json& document);

/// These write a document in pieces, if it is too large to stand in memory: begin_text() with the
/// first fields (at least one), then what follows, then end_text().
[[nodiscard]] std::string begin_text(const Json& first_fields);
void append_field(std::string& text, const std::string& name, const Json& value);
/// An array of `count` objects, each asked for when its turn comes.
void append_list(std::string& text, const std::string& name, std::size_t count,
                 const std::function<Json(std::size_t)>& entry);
[[nodiscard]] std::string end_text(std::string text);

}  // namespace espalier
