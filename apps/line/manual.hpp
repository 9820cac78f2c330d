#pragma once

#include "line/app.hpp"

namespace espalier::line {

/// A command's manual page in roff, section 1, of what its help says.
[[nodiscard]] std::string manual_page(const CLI::App& command);

/// Writes the pages of a program and of all its commands into a folder, as `espalier-plan.1`.
void write_manual_pages(const CLI::App& app, const std::string& folder);

}  // namespace espalier::line
