#pragma once

#include "schedule/schedule.hpp"

namespace espalier::schedule {

/// The schedule read backwards: every transfer goes the other way, the last one first, and what was
/// copied to many is combined from many. A broadcast becomes a reduction to its root, a scatter a
/// gather, an all-gather a reduce-scatter, and the other way round; local parts that came after
/// their coordinator's transfers come before them, and steps that begin together end together. The
/// mirror of a mirror is the schedule itself.
///
/// The ports of both ends are symmetric in time, so on the network with all links turned round
/// (simulate::transposed) a mirror takes as long as its schedule where messages only queue for one
/// port a node, are whole or cut into equal segments everywhere, and are received one after the
/// other (Reception::Mode::serial).
///
/// Throws std::invalid_argument for a schedule with messages that only coordinate (a handshake has
/// no mirror), and for a scan.
[[nodiscard]] Schedule mirror(const Schedule& schedule);

}  // namespace espalier::schedule
