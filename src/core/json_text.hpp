#pragma once

#include "core/json_reader.hpp"

#include <string>

namespace espalier {

/// A document as text for people and programs: a line for each field, and for each entry of its
/// arrays; ends with a line end. Numbers come back exactly.
[[nodiscard]] std::string to_text(const Json& document);

}  // namespace espalier
