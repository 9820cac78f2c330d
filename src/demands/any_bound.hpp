#pragma once

#include "core/matrix.hpp"
#include "demands/problem.hpp"

#include <vector>

namespace espalier::demands {

/// What no schedule of any kind beats: messages may be cut into pieces, several may travel as one,
/// and any node may pass them on. In seconds.
struct AnyBound {
    double makespan = 0;
    /// Of the critical node's own messages; 0 without one.
    double critical = 0;
    /// Priority of the messages that can't be brought to their receivers by their deadlines even if
    /// they had the network for themselves.
    double missed = 0;
};

/// The makespan's bound is the greatest of:
/// - for each node, what its k ports need for the bytes that it has for others at the least time
///   per byte of all its links (of a start-up, one), and the least latency of those;
/// - the same for the bytes that others have for it;
/// - for each message, the way on which the shortest message is there first;
/// - for each shared capacity, the bytes of the messages that no way leads around it.
/// It holds for any number of ports, and however messages are received.
[[nodiscard]] AnyBound any_bound(const Problem& problem);

}  // namespace espalier::demands
