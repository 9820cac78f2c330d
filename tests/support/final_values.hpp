#pragma once

#include "schedule/schedule.hpp"

#include <cstddef>
#include <vector>

namespace espalier::test {

/// For each chunk of an all-reduce or a barrier, how many different sums its nodes end with, where
/// sums differ if they are of other operands, or of the same ones otherwise in brackets.
[[nodiscard]] std::vector<std::size_t> final_values(const schedule::Schedule& schedule);

}  // namespace espalier::test
