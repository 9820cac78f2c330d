#pragma once

#include "demands/problem.hpp"

#include <vector>

namespace espalier::demands {

/// What one port still has to do.
struct DueJob {
    double work = 0;  ///< seconds
    double due = 0;   ///< seconds from when the port is free
    double priority = 1;
};
/// The priority that is late at least on one port that does these jobs one after the other: so many
/// as Moore and Hodgson's rule leaves out, and those that count least.
[[nodiscard]] double least_late(std::vector<DueJob> jobs);

/// The priority of messages that miss their deadlines in every exchange of whole messages straight
/// to their receivers: those that would alone, and what the ports of their ends leave out.
[[nodiscard]] double missed_bound(const Problem& problem);

}  // namespace espalier::demands
