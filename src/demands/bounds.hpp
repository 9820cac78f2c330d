#pragma once

#include "demands/objective.hpp"

#include <vector>

namespace espalier::demands {

/// What no exchange beats: a bound for each field of its score by itself; none of tardiness.
/// Of whole messages that go straight to their receivers:
/// - the makespan's is exchange::exchange_bound();
/// - the critical node can't be done with its own messages sooner, however long the others wait:
///   its ports send what it has, and receive what others have for it;
/// - a message misses its deadline if it would alone, and each port leaves out what least_late()
///   says.
[[nodiscard]] Score direct_bounds(const Problem& problem);

/// Lower bounds that hold for schedules of any kind: messages may be cut into pieces, several may
/// travel as one, and any node may pass them on; the number of ports and the way of receiving do
/// not matter. The makespan's is plan::collective_bound() of all messages, the critical node's that
/// of its own messages, and the missed priority's that of the messages that would miss their
/// deadlines even if each had the network for itself.
[[nodiscard]] Score any_bounds(const Problem& problem);

/// What one port still has to do.
struct DueJob {
    double work = 0;  ///< seconds
    double due = 0;   ///< seconds from when the port is free
    double priority = 1;
};
/// The priority that is late at least on one port that does these jobs one after the other: so many
/// as Moore and Hodgson's rule leaves out, and those that count least.
[[nodiscard]] double least_late(std::vector<DueJob> jobs);

}  // namespace espalier::demands
