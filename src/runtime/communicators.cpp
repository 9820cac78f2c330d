#include "runtime/communicators.hpp"

#include "runtime/communicator.hpp"
#include "runtime/process.hpp"
#include "runtime/together.hpp"

// What a program does with communicators while we tell each other things on them.

namespace espalier::runtime {

void complete_before_the_end(MPI_Comm comm) {
    Process* process = Process::current();
    if (process == nullptr || comm == MPI_COMM_NULL) return;
    process->persistent_calls().outlive(comm);
    void* state = nullptr;
    int found = 0;
    if (PMPI_Comm_get_attr(comm, process->keyval(), &state, &found) == MPI_SUCCESS && found != 0)
        static_cast<Communicator*>(state)->close_channel(*process);
    process->under_way().complete(comm);
}

void leave_while_duplicated(MPI_Comm comm) {
    Process* process = Process::current();
    if (process == nullptr || comm == MPI_COMM_NULL) return;
    (void)problem_of([&] { Communicator::of(comm, *process).leave(*process); });
}

void begin_anew(MPI_Comm comm) {
    Process* process = Process::current();
    if (process == nullptr || comm == MPI_COMM_NULL) return;
    void* attribute = nullptr;
    int found = 0;
    if (PMPI_Comm_get_attr(comm, process->keyval(), &attribute, &found) == MPI_SUCCESS &&
        found != 0)
        PMPI_Comm_delete_attr(comm, process->keyval());
}

}  // namespace espalier::runtime

extern "C" int MPI_Comm_free(MPI_Comm* comm) {
    if (comm != nullptr) espalier::runtime::complete_before_the_end(*comm);
    return PMPI_Comm_free(comm);
}

#ifndef ESPALIER_MPI_SMPI

extern "C" int MPI_Comm_disconnect(MPI_Comm* comm) {
    if (comm != nullptr) espalier::runtime::complete_before_the_end(*comm);
    return PMPI_Comm_disconnect(comm);
}

#endif

#ifdef ESPALIER_MPI_OPENMPI

// Since Open MPI 5.
extern "C" int PMPIX_Comm_shrink [[gnu::weak]] (MPI_Comm comm, MPI_Comm* shrunk);
extern "C" int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm* shrunk) {
    if (PMPIX_Comm_shrink == nullptr) return MPI_ERR_UNSUPPORTED_OPERATION;
    const int code = PMPIX_Comm_shrink(comm, shrunk);
    if (code == MPI_SUCCESS) espalier::runtime::begin_anew(*shrunk);
    return code;
}

extern "C" int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* duplicate, MPI_Request* request) {
    espalier::runtime::leave_while_duplicated(comm);
    return PMPI_Comm_idup(comm, duplicate, request);
}

#if MPI_VERSION >= 4
extern "C" int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* duplicate,
                                       MPI_Request* request) {
    espalier::runtime::leave_while_duplicated(comm);
    return PMPI_Comm_idup_with_info(comm, info, duplicate, request);
}
#endif

#endif
