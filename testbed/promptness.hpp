#pragma once

#include "testbed/emulator.hpp"

namespace espalier::testbed {

[[nodiscard]] Nanoseconds now();

/// From the call on, this process runs before others if it may, and is woken when it asked for it.
void be_prompt();

}  // namespace espalier::testbed
