#pragma once

#include "demands/objective.hpp"

#include <vector>

namespace espalier::demands {

/// Lower bounds on each field of an exchange's score by itself, none on tardiness, for whole
/// messages that go straight to their receivers. The makespan's is exchange::exchange_bound(). The
/// critical node's: it can't be done with its own messages sooner, however long the others wait,
/// since its ports send what it has and receive what others have for it. The missed priority's: a
/// message misses its deadline if it would alone, and each port leaves out what least_late() says.
[[nodiscard]] Score direct_bounds(const Problem& problem);

/// Lower bounds that hold for schedules of any kind: messages may be cut into pieces, several may
/// travel as one, and any node may pass them on; the number of ports and the way of receiving do
/// not matter. The makespan's is plan::collective_bound() of all messages, the critical node's that
/// of its own messages, and the missed priority's that of the messages that would miss their
/// deadlines even if each had the network for itself.
[[nodiscard]] Score any_bounds(const Problem& problem);

/// A message that one port still has to serve.
struct DueJob {
    double work = 0;  ///< seconds
    double due = 0;   ///< seconds from when the port is free
    double priority = 1;
};
/// The priority that is late at least on one port that does these jobs one after the other: so many
/// as Moore and Hodgson's rule leaves out, and those that count least.
[[nodiscard]] double least_late(std::vector<DueJob> jobs);

}  // namespace espalier::demands
