#pragma once

#include "core/matrix.hpp"
#include "demands/problem.hpp"

#include <string>
#include <vector>

namespace espalier::cli {

/// By when each message is due, and what missing that counts: CSVs of pairs of these nodes, the
/// second if there is one. Throws InputError naming the file and the pair for a value that is not
/// positive.
[[nodiscard]] Matrix<demands::Due> read_dues(const std::string& deadlines,
                                             const std::string& priorities,
                                             const std::vector<std::string>& names);

}  // namespace espalier::cli
