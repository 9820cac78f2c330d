#pragma once

#include "schedule/schedule.hpp"

#include <vector>

namespace espalier::runtime {

/// Whether each combining transfer brings contributions of lower ranks than those that its receiver
/// has. Throws std::invalid_argument if that differs within one message.
[[nodiscard]] std::vector<char> combined_from_left(const schedule::Schedule& schedule);

}  // namespace espalier::runtime
