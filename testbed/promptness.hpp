#pragma once

#include "testbed/emulator.hpp"

namespace espalier::testbed {

[[nodiscard]] Nanoseconds now();

/// From here on, this process runs before others where it may, and is woken when it asked for.
void be_prompt();

}  // namespace espalier::testbed
