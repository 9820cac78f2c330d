#pragma once

#include "core/json_reader.hpp"

#include <string>

namespace espalier::cli {

/// What a program's run was like, for people: the calls that took longest first, by what they were
/// answered, predicted and measured, and what was left to MPI and why. Throws InputError where the
/// document is no `espalier-run` of version 1.
[[nodiscard]] std::string run_text(const JsonValue& document);

}  // namespace espalier::cli
