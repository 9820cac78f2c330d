#pragma once

#include "core/matrix.hpp"
#include "demands/problem.hpp"

#include <string>
#include <vector>

namespace espalier::cli {

/// The deadline of each message and the weight of missing it, from CSVs of pairs of these nodes;
/// the second may be left out. Throws InputError naming the file and the pair for a value that is
/// not positive.
[[nodiscard]] Matrix<demands::Due> read_dues(const std::string& deadlines,
                                             const std::string& priorities,
                                             const std::vector<std::string>& names);

}  // namespace espalier::cli
