#pragma once

#include "core/matrix.hpp"
#include "demands/problem.hpp"
#include "frontend/problem_options.hpp"

#include <string>
#include <vector>

namespace espalier::frontend {

/// The deadline of each message between these nodes and the weight of missing it; the second may be
/// left out. Throws InputError naming the option's value and the pair for a number that is not
/// positive.
[[nodiscard]] Matrix<demands::Due> read_dues(const PairNumbers& deadlines,
                                             const PairNumbers& priorities,
                                             const std::vector<std::string>& names);

}  // namespace espalier::frontend
