#pragma once

#include "runtime/failure.hpp"
#include "runtime/process.hpp"

#include <mpi.h>

#include <exception>
#include <string>

namespace espalier::runtime {

/// Hands an error of ours to the program's error handler, as if its own call had failed.
inline int raise(MPI_Comm comm, int code) {
    PMPI_Comm_call_errhandler(comm, code);
    return code;
}

/// An interposed call (`comm`, `native()`): MPI's own where this process has nothing of ours, else
/// `perform(call, process)`. Throws only what the program's own code threw, returns what MPI would,
/// and after the same error handler. `name` is the collective's, for the log.
template <typename Call, typename Perform>
int guarded(const char* name, const Call& call, const Perform& perform) {
    Process* process = Process::current();
    try {
        if (process == nullptr || call.comm == MPI_COMM_NULL) return call.native();
        return perform(call, *process);
    } catch (const MpiFailure& failure) {
        return failure.handled ? failure.code : raise(call.comm, failure.code);
    } catch (const ProgramException& exception) {
        std::rethrow_exception(exception.thrown);
    } catch (const std::exception& error) {
        process->log().warn(std::string(name) + ": " + error.what());
        return raise(call.comm, MPI_ERR_INTERN);
    }
}

}  // namespace espalier::runtime
