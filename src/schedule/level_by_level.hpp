#pragma once

#include "schedule/schedule.hpp"

namespace espalier::schedule {

/// A schedule of the same messages in which what comes inside a group before its coordinator's
/// transfers is performed before them. A node performs the first segments of all its transfers
/// before the second ones. So if levels are cut into different numbers of segments, the rest of a
/// coordinator's own group would wait for whatever is listed after it; therefore every segment
/// becomes a chunk with transfers of its own. A schedule that is cut alike on all levels is a
/// pipeline through them, and stays as it is.
[[nodiscard]] Schedule level_by_level(Schedule schedule);

}  // namespace espalier::schedule
