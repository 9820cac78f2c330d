#pragma once

#include "schedule/schedule.hpp"

#include <cstddef>
#include <vector>

namespace espalier::test {

/// For each chunk, how many nodes combine everyone's contributions to it themselves, rather than
/// get the result from another: where that is one, all hold the same bits, whatever the operator's
/// rounding.
[[nodiscard]] std::vector<std::size_t> final_values_computed(const schedule::Schedule& schedule);

}  // namespace espalier::test
