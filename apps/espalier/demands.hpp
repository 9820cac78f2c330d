#pragma once

#include "core/matrix.hpp"
#include "demands/problem.hpp"
#include "schedule/timeline.hpp"

#include <string>
#include <vector>

namespace espalier::cli {

/// By when each message is due, and what missing that counts: CSVs of pairs of these nodes, the
/// second if there is one. Throws InputError naming the file and the pair for a value that is not
/// positive.
[[nodiscard]] Matrix<demands::Due> read_dues(const std::string& deadlines,
                                             const std::string& priorities,
                                             const std::vector<std::string>& names);

/// When the critical node is done, and how many deadlines are missed; a line each, empty where
/// nothing of that kind was asked for.
[[nodiscard]] std::string demand_lines(const schedule::Plan& plan);
/// An empty line and a row for each missed deadline; empty where there is none.
[[nodiscard]] std::string missed_table(const schedule::Plan& plan);

}  // namespace espalier::cli
