#pragma once

#include "schedule/schedule.hpp"

namespace espalier::schedule {

/// The schedule reversed in time: sender and receiver of each transfer are exchanged, the last
/// transfer becomes the first, and data that was copied to many nodes is combined from them. So a
/// broadcast becomes a reduction to its root, a scatter a gather, an all-gather a reduce-scatter,
/// and conversely. Local parts that came after their coordinator's transfers come before them, and
/// steps that begin together end together. The mirror of a mirror is the schedule itself.
///
/// A mirror takes as long on the transposed network (simulate::transposed) as its schedule does on
/// the network, since the ports of sender and receiver are symmetric in time. This holds if
/// messages queue for one port a node and for nothing else, are whole or cut into equal segments
/// everywhere, and are received one after the other (Reception::Mode::serial).
///
/// Throws std::invalid_argument for a schedule with messages that only coordinate (a handshake has
/// no mirror), and for a scan.
[[nodiscard]] Schedule mirror(const Schedule& schedule);

}  // namespace espalier::schedule
