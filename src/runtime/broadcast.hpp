#pragma once

#include <mpi.h>

namespace espalier::runtime {

/// MPI_Bcast: planned where that can be done, else MPI's own. Throws nothing; returns what
/// MPI_Bcast would, and after the same error handler.
int broadcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);

}  // namespace espalier::runtime
