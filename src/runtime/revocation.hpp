#pragma once

#include <mpi.h>

namespace espalier::runtime {

/// Whether the program may go on after a rank of `comm` has failed: errors there are not fatal, and
/// the MPI library has MPIX_Comm_revoke. Elsewhere a failure ends all ranks. Throws MpiFailure.
[[nodiscard]] bool outlives_failures(MPI_Comm comm);

/// A receive that nothing ends but the revocation of `comm`, a communicator of the program's, by
/// MPIX_Comm_revoke: our messages travel on another one, which is not revoked with it.
/// MPI_REQUEST_NULL where no program outlives failures. `self` is this rank there. Throws
/// MpiFailure.
[[nodiscard]] MPI_Request await_revocation(MPI_Comm comm, int self);

}  // namespace espalier::runtime
