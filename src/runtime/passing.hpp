#pragma once

namespace espalier::runtime {

/// Counts a call that is MPI's own whatever the network is, where a report is written; `name` is
/// what a C program calls it.
void note_passed(const char* name);

}  // namespace espalier::runtime
