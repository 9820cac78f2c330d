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

/// Defines these of a collective by templates over MPI's own functions:
/// `call_bcast<PMPI_Bcast>(…)`, and `begin_bcast<PMPI_Ibcast>("MPI_Ibcast", persistent, …)`.
#define ESPALIER_FORMS(n, name, lower)                                           \
    int mpi_##lower(ESPALIER_TYPED(n, PMPI_##name)) {                            \
        return call_##lower<PMPI_##name>(ESPALIER_NAMED(n));                     \
    }                                                                            \
    int mpi_i##lower(ESPALIER_TYPED(ESPALIER_PLUS_1(n), PMPI_I##lower),          \
                     const Initialization* persistent) {                         \
        return begin_##lower<PMPI_I##lower>("MPI_I" #lower, persistent,          \
                                            ESPALIER_NAMED(ESPALIER_PLUS_1(n))); \
    }

}  // namespace espalier::runtime
