#pragma once

#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

namespace espalier::simulate {

class Messages;
class Windows;

/// Times the transfers of a schedule where some share a capacity: moving messages divide it fairly
/// (max-min), none faster than alone. A receiver takes its next message when the one before has
/// left its sender, latencies set off; where the next one's latency is the greater, that is on the
/// safe side. Where receives are interleaved, a receiver's time is one more thing that is divided;
/// they may not be buffered. Fills `transfers` only.
[[nodiscard]] schedule::Timeline simulate_fluid(const schedule::Schedule& schedule,
                                                const Fabric& fabric, Windows& windows);
/// With all windows open.
[[nodiscard]] schedule::Timeline simulate_fluid(const schedule::Schedule& schedule,
                                                const Fabric& fabric);

/// Throws InvalidError naming a transfer that waits for ever.
[[noreturn]] void report_deadlock(const Messages& messages);

}  // namespace espalier::simulate
