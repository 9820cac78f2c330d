#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

namespace espalier::runtime {

/// This process's place among those of a call.
struct Seat {
    int rank = 0;
    int size = 1;
    MPI_Comm comm = MPI_COMM_NULL;  ///< the program's
    MPI_Comm own = MPI_COMM_NULL;   ///< ours, of all ranks of the world
    std::span<const int> peers{};   ///< each rank's rank in `own`
    /// The tag of the call's messages, which keeps them apart from those of other communicators and
    /// threads, and from what a failed call left behind.
    int tag = 0;

    /// In `own`.
    [[nodiscard]] int peer(int of) const { return peers[static_cast<std::size_t>(of)]; }
};

}  // namespace espalier::runtime
