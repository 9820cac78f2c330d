#pragma once

#include "schedule/schedule.hpp"

#include <vector>

namespace espalier::runtime {

/// Of each transfer that combines, whether what it brings comes from lower ranks than what is there
/// already. Throws std::invalid_argument where that differs within one message.
[[nodiscard]] std::vector<char> combined_from_left(const schedule::Schedule& schedule);

}  // namespace espalier::runtime
