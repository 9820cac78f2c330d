#pragma once

#include "runtime/call.hpp"
#include "runtime/native_begin.hpp"

namespace espalier::runtime {

/// Begins a nonblocking call of the program: by a plan where that can be done, else by MPI's own.
/// It never waits for other ranks. One that is to be persistent is not begun: ranks, which may wait
/// for each other, make its request. Throws nothing; returns what the MPI call would, and after the
/// same error handler.
int begin(const Call& call, const NativeBegin& own);

}  // namespace espalier::runtime
