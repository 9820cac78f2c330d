#pragma once

#include <mpi.h>

namespace espalier::runtime {

/// A receive that nothing ends but the revocation of `comm`, a communicator of the program's, by
/// MPIX_Comm_revoke: our messages travel on another one, which is not revoked with it.
/// MPI_REQUEST_NULL where the MPI library has no such call, or errors are fatal anyway. `self` is
/// this rank there. Throws MpiFailure.
[[nodiscard]] MPI_Request await_revocation(MPI_Comm comm, int self);

}  // namespace espalier::runtime
