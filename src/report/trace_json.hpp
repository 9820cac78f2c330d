#pragma once

#include "report/diagram.hpp"

#include <string>

namespace espalier::report {

/// A plan in the Trace Event Format (JSON object form) that the viewers of Chrome and Perfetto
/// open: a process for each node, with a track for what it sends, one for what it receives (more,
/// where some overlap) and one for what happens inside it; a flow arrow from each send to its
/// receive; and a process with the critical path. Times are microseconds, rounded to nanoseconds so
/// that what touches on a track does not overlap; a unit of the network's own counts as a second.
/// Throws std::invalid_argument where the timeline is not one of that schedule.
[[nodiscard]] std::string trace_json(const schedule::Plan& plan, const Analysis& analysis,
                                     const std::string& time_unit = "");

}  // namespace espalier::report
