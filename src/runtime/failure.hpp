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

/// Makes a call of MPI's in which the program's own code may run.
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

/// Checks a call on a private communicator, whose errors are returned.
inline void check(int code) {
    if (code != MPI_SUCCESS) throw MpiFailure{code, false};
}

/// Checks a call on the program's own communicator, whose error handler has already been called.
inline void check_handled(int code) {
    if (code != MPI_SUCCESS) throw MpiFailure{code, true};
}

/// While it lives, errors on a communicator of the program's, and on what is made from it, are
/// returned. Its destructor restores the communicator's own handler.
class ErrorsReturned {
public:
    /// Throws MpiFailure.
    explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
        check_handled(PMPI_Comm_get_errhandler(comm_, &before_));
        // SMPI has none where the program set none.
        if (before_ != MPI_ERRHANDLER_NULL) PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }
    ~ErrorsReturned() {
        if (before_ == MPI_ERRHANDLER_NULL) return;
        PMPI_Comm_set_errhandler(comm_, before_);
        PMPI_Errhandler_free(&before_);
    }
    ErrorsReturned(const ErrorsReturned&) = delete;
    ErrorsReturned& operator=(const ErrorsReturned&) = delete;

private:
    MPI_Comm comm_;
    MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

}  // namespace espalier::runtime
