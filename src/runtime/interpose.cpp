#include "runtime/broadcast.hpp"

#include <mpi.h>

// The MPI calls that a program finds here before it finds the library's own.

extern "C" int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    return espalier::runtime::broadcast(buffer, count, datatype, root, comm);
}
