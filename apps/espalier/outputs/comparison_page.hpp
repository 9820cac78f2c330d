#pragma once

#include "frontend/comparison.hpp"

#include <string>

namespace espalier::cli {

/// A comparison as a page that stands for itself and needs no script: the algorithms as bars
/// against the bound, as a table, what gave no plan and why. `file` is named in it, and `made` says
/// by what the page was made.
[[nodiscard]] std::string comparison_page(const frontend::Comparison& comparison,
                                          const std::string& file, const std::string& made);

}  // namespace espalier::cli
