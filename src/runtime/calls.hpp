#pragma once

#include "runtime/collective_table.hpp"
#include "runtime/native_begin.hpp"

#include <mpi.h>

namespace espalier::runtime {

/// `mpi_bcast` does what MPI_Bcast would, and so on: by a plan where that can be done and is not
/// known to be slower, else by MPI's own. They throw nothing, and call the same error handler.
#define ESPALIER_DECLARE(n, name, lower, upper) int lower(ESPALIER_TYPED(n, ESPALIER_OWN(name)));
ESPALIER_PLANNED_CALLS(ESPALIER_DECLARE)
ESPALIER_LARGE_CALLS(ESPALIER_DECLARE)
#undef ESPALIER_DECLARE
/// With `persistent` the call is not begun: its request is made, for MPI_Start.
#define ESPALIER_DECLARE_NONBLOCKING(n, name, lower, upper) \
    int lower(ESPALIER_TYPED(n, ESPALIER_OWN(name)), const Initialization* persistent = nullptr);
ESPALIER_NONBLOCKING_CALLS(ESPALIER_DECLARE_NONBLOCKING)
ESPALIER_LARGE_NONBLOCKING_CALLS(ESPALIER_DECLARE_NONBLOCKING)
#undef ESPALIER_DECLARE_NONBLOCKING

/// Defines these of a collective by templates over MPI's own functions:
/// `call_bcast<PMPI_Bcast>(…)`, and `begin_bcast<PMPI_Ibcast>("MPI_Ibcast", persistent, …)`.
#if MPI_VERSION >= 4
#define ESPALIER_FORMS(n, name, lower)                                               \
    ESPALIER_FORMS_OF(n, MPI_##name, MPI_I##lower, lower, mpi_##lower, mpi_i##lower) \
    ESPALIER_FORMS_OF(n, MPI_##name##_c, MPI_I##lower##_c, lower, mpi_##lower##_c, mpi_i##lower##_c)
#else
#define ESPALIER_FORMS(n, name, lower) \
    ESPALIER_FORMS_OF(n, MPI_##name, MPI_I##lower, lower, mpi_##lower, mpi_i##lower)
#endif
#define ESPALIER_FORMS_OF(n, name, nonblocking, lower, call, begin)                          \
    int call(ESPALIER_TYPED(n, ESPALIER_OWN(name))) {                                        \
        return call_##lower<ESPALIER_OWN(name)>(ESPALIER_NAMED(n));                          \
    }                                                                                        \
    int begin(ESPALIER_TYPED(ESPALIER_PLUS_1(n), ESPALIER_OWN(nonblocking)),                 \
              const Initialization* persistent) {                                            \
        return begin_##lower<ESPALIER_OWN(nonblocking)>(#nonblocking, persistent,            \
                                                        ESPALIER_NAMED(ESPALIER_PLUS_1(n))); \
    }

}  // namespace espalier::runtime
