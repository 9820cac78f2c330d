#pragma once

#include "core/json.hpp"
#include "frontend/library_calls.hpp"
#include "libraries/rules.hpp"

#include <string>

namespace espalier::frontend {

/// Whether `--for` names rules of a library.
[[nodiscard]] bool is_tuned(const std::string& target);

/// Rules for these calls; `options.target` names them, and hosts are in the order of ranks. Throws
/// InputError naming the option.
[[nodiscard]] libraries::Tuning tune(const LibraryCallOptions& options);
/// The text of the file that the target's library reads.
[[nodiscard]] std::string rules_text(const libraries::Tuning& tuning);

/// Format `espalier-tuning`, version 1.
[[nodiscard]] Json to_json(const libraries::Tuning& tuning);

}  // namespace espalier::frontend
