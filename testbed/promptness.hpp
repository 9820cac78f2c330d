#pragma once

#include "core/file_descriptor.hpp"
#include "testbed/emulator.hpp"

namespace espalier::testbed {

[[nodiscard]] Nanoseconds now();

/// From the call on, this process runs before others if it may, and is woken when it asked for it.
void be_prompt();

/// No processor of this machine sleeps while the descriptor is open: woken from sleep, one is later
/// than short paths take. Invalid where this process may not ask for that.
[[nodiscard]] FileDescriptor keep_processors_awake();

}  // namespace espalier::testbed
