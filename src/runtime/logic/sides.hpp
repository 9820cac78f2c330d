#pragma once

#include "schedule/schedule.hpp"

#include <vector>

namespace espalier::runtime {

/// Whether what each combining transfer brings is the left operand. Where operands keep their order
/// it is if it comes from lower ranks; throws std::invalid_argument if that differs within one
/// message. Where they may change places, what several ranks combine from the same parts (halves
/// that exchange them) has the same operands on the left everywhere, so that all get the same bits.
[[nodiscard]] std::vector<char> combined_from_left(const schedule::Schedule& schedule);

}  // namespace espalier::runtime
