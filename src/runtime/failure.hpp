#pragma once

#include <mpi.h>

namespace espalier::runtime {

/// An MPI call of ours went wrong. Caught where the interposed call returns.
struct MpiFailure {
    int code = MPI_ERR_OTHER;
    /// The program's error handler has had it already: the call was on its own communicator.
    bool handled = false;
};

/// For calls on a private communicator, whose errors are returned.
inline void check(int code) {
    if (code != MPI_SUCCESS) throw MpiFailure{code, false};
}

/// For calls on the program's own communicator.
inline void check_handled(int code) {
    if (code != MPI_SUCCESS) throw MpiFailure{code, true};
}

}  // namespace espalier::runtime
