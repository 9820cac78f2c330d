#pragma once

#include <cxxabi.h>
#include <mpi.h>

#include <exception>

namespace espalier::runtime {

/// An MPI call of ours went wrong. Caught where the interposed call returns.
struct MpiFailure {
    int code = MPI_ERR_OTHER;
    /// The program's error handler has had it already: the call was on its own communicator.
    bool handled = false;
};

/// Something that the program's own code threw, which MPI called: an error handler, an operator.
/// It goes on to the program as it came.
struct ProgramException {
    std::exception_ptr thrown;
};

/// For calls of MPI's in which the program's code may run.
template <typename Call>
int with_program(const Call& call) {
    try {
        return call();
    } catch (const abi::__forced_unwind&) {
        throw;  // the thread ends
    } catch (...) {
        throw ProgramException{std::current_exception()};
    }
}

/// For calls on a private communicator, whose errors are returned.
inline void check(int code) {
    if (code != MPI_SUCCESS) throw MpiFailure{code, false};
}

/// For calls on the program's own communicator.
inline void check_handled(int code) {
    if (code != MPI_SUCCESS) throw MpiFailure{code, true};
}

}  // namespace espalier::runtime
