#include "runtime/flavour.hpp"

#include <mpi.h>

namespace espalier::runtime {

#ifdef ESPALIER_MPI_MPICH

namespace {

/// Asks the library, on a communicator of this process alone.
bool refuses_one() {
    MPI_Comm alone = MPI_COMM_NULL;
    if (PMPI_Comm_dup(MPI_COMM_SELF, &alone) != MPI_SUCCESS) return true;
    PMPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    int value = 0;
    // The only one that moves nothing there, which MPICH may not do from a place to itself.
    const int code = PMPI_Exscan(&value, &value, 1, MPI_INT, MPI_SUM, alone);
    PMPI_Comm_free(&alone);
    return code != MPI_SUCCESS;
}

}  // namespace

bool Flavour::refuses_aliases() {
    static const bool refuses = refuses_one();
    return refuses;
}

#else

bool Flavour::refuses_aliases() { return false; }

#endif

}  // namespace espalier::runtime
