#include "runtime/broadcast.hpp"
#include "runtime/communicator.hpp"

#include <mpi.h>

// The MPI calls that a program finds here before it finds the library's own.

using espalier::runtime::Communicator;

extern "C" int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    // First of all, and with nothing else to do after it: a few nanoseconds count here.
    if (Communicator::is_known_native(comm)) return PMPI_Bcast(buffer, count, datatype, root, comm);
    return espalier::runtime::broadcast(buffer, count, datatype, root, comm);
}
