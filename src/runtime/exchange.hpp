#pragma once

#include "runtime/blocks.hpp"

#include <mpi.h>

namespace espalier::runtime {

/// MPI_Alltoall and MPI_Alltoallv: planned where that can be done and is not known to be slower,
/// else MPI's own. Throw nothing; return what the MPI calls would, and after the same error
/// handler.
int alltoall(const void* input, int input_count, MPI_Datatype input_type, void* output,
             int output_count, MPI_Datatype output_type, MPI_Comm comm);
int alltoallv(const void* input, const int* input_counts, const int* input_displacements,
              MPI_Datatype input_type, void* output, const int* output_counts,
              const int* output_displacements, MPI_Datatype output_type, MPI_Comm comm);

}  // namespace espalier::runtime
