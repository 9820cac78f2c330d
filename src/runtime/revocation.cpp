#include "runtime/revocation.hpp"

#include "runtime/failure.hpp"

#ifdef ESPALIER_MPI_OPENMPI
// Since Open MPI 5; MPICH's aborts the program.
extern "C" int PMPIX_Comm_revoke [[gnu::weak]] (MPI_Comm comm);
#endif

namespace espalier::runtime {

#ifdef ESPALIER_MPI_OPENMPI

bool outlives_failures(MPI_Comm comm) {
    if (PMPIX_Comm_revoke == nullptr || comm == MPI_COMM_NULL) return false;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    check_handled(PMPI_Comm_get_errhandler(comm, &handler));
    const bool is_fatal = handler == MPI_ERRORS_ARE_FATAL;
    check_handled(PMPI_Errhandler_free(&handler));
    return !is_fatal;
}

MPI_Request await_revocation(MPI_Comm comm, int self) {
    if (!outlives_failures(comm)) return MPI_REQUEST_NULL;
    int* greatest = nullptr;
    int has_greatest = 0;
    check_handled(PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&greatest),
                                     &has_greatest));
    if (has_greatest == 0) return MPI_REQUEST_NULL;
    // Programs hardly send themselves anything with the greatest tag while they are in a
    // collective.
    MPI_Request request = MPI_REQUEST_NULL;
    check_handled(PMPI_Irecv(nullptr, 0, MPI_BYTE, self, *greatest, comm, &request));
    return request;
}

#else

bool outlives_failures(MPI_Comm) { return false; }

MPI_Request await_revocation(MPI_Comm, int) { return MPI_REQUEST_NULL; }

#endif

}  // namespace espalier::runtime
