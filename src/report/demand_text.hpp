#pragma once

#include "schedule/timeline.hpp"

#include <string>

namespace espalier::report {

/// When the critical node is done, and how many deadlines are missed, a line each; empty if nothing
/// of that kind was asked for.
[[nodiscard]] std::string demand_lines(const schedule::Plan& plan);
/// An empty line and a row for each missed deadline; empty where there is none.
[[nodiscard]] std::string missed_table(const schedule::Plan& plan);

}  // namespace espalier::report
