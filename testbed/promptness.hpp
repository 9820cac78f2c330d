#pragma once

#include "testbed/emulator.hpp"

namespace espalier::testbed {

[[nodiscard]] Nanoseconds now();

/// From here on, this process runs before others where it may, and is woken when it asked for.
void be_prompt();

/// What the machine adds to a packet's way, by how long wake-ups take here: that of this process
/// when a packet is sent, and that of the program for which it is. Takes some 70 ms.
[[nodiscard]] OwnDelays own_delays();

}  // namespace espalier::testbed
