#pragma once

#include "runtime/collective_table.hpp"

#include <mpi.h>

namespace espalier::runtime {

/// `mpi_bcast` does what MPI_Bcast would, and so on: by a plan where that can be done and is not
/// known to be slower, else by MPI's own. They throw nothing, and call the same error handler.
#define ESPALIER_DECLARE(n, name, lower, upper) int lower(ESPALIER_TYPED(n, ESPALIER_OWN(name)));
ESPALIER_PLANNED_CALLS(ESPALIER_DECLARE)
ESPALIER_NONBLOCKING_CALLS(ESPALIER_DECLARE)
#undef ESPALIER_DECLARE

}  // namespace espalier::runtime
