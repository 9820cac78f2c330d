#pragma once

#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

namespace espalier::simulate {

/// Times the transfers of a schedule whose receives have no order (schedule::Reception), where
/// messages share nothing but their receivers. Each sender goes through its messages in its order.
/// A receiver shares its time by its senders' clocks: what arrives later by a latency is slowed
/// down, or takes up the buffer, while it is sent. Fills `transfers` only. Throws InvalidError for
/// a transfer that waits for ever.
[[nodiscard]] schedule::Timeline simulate_interleaved(const schedule::Schedule& schedule,
                                                      const Fabric& fabric);
[[nodiscard]] schedule::Timeline simulate_buffered(const schedule::Schedule& schedule,
                                                   const Fabric& fabric);

}  // namespace espalier::simulate
