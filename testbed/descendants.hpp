#pragma once

#include <sys/types.h>

namespace espalier::testbed {

/// Kills all processes that descend from this one, a subreaper, but `spared` and its own.
void end_descendants(pid_t spared);

}  // namespace espalier::testbed
