#pragma once

#include "runtime/collective_table.hpp"
#include "runtime/native_begin.hpp"

#include <mpi.h>

namespace espalier::runtime {

/// `mpi_bcast` does what MPI_Bcast would, and so on: by a plan where that can be done and is not
/// known to be slower, else by MPI's own. They throw nothing, and call the same error handler.
#define ESPALIER_DECLARE(n, name, lower, upper) int lower(ESPALIER_TYPED(n, ESPALIER_OWN(name)));
ESPALIER_PLANNED_CALLS(ESPALIER_DECLARE)
#undef ESPALIER_DECLARE
/// With `persistent` the call is not begun: its request is made, for MPI_Start.
#define ESPALIER_DECLARE_NONBLOCKING(n, name, lower, upper) \
    int lower(ESPALIER_TYPED(n, ESPALIER_OWN(name)), const Initialization* persistent = nullptr);
ESPALIER_NONBLOCKING_CALLS(ESPALIER_DECLARE_NONBLOCKING)
#undef ESPALIER_DECLARE_NONBLOCKING

}  // namespace espalier::runtime
