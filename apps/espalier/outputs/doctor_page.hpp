#pragma once

#include "doctor/facts.hpp"

#include <string>

namespace espalier::cli {

/// What is wrong with a network as a page that stands for itself and needs no script: the verdict,
/// each finding with its evidence and what mends it, the ways between hosts as matrices, the hosts
/// and their settings. `file` is named in it, and `made` says by what the page was made.
[[nodiscard]] std::string doctor_page(const doctor::Facts& facts, const std::string& file,
                                      const std::string& made);

}  // namespace espalier::cli
