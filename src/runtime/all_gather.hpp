#pragma once

#include <mpi.h>

namespace espalier::runtime {

/// MPI_Allgather: round a planned ring where that can be done and is not known to be slower, else
/// MPI's own. Throws nothing; returns what the MPI call would, and after the same error handler.
int allgather(const void* input, int input_count, MPI_Datatype input_type, void* output,
              int output_count, MPI_Datatype output_type, MPI_Comm comm);

}  // namespace espalier::runtime
