#include "runtime/all_gather.hpp"
#include "runtime/broadcast.hpp"
#include "runtime/communicator.hpp"
#include "runtime/exchange.hpp"
#include "runtime/neighbours.hpp"

#include <mpi.h>

// The MPI calls that a program finds here before it finds the library's own.

using espalier::runtime::Communicator;
using espalier::runtime::native;

extern "C" int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    // First of all, and with nothing else to do after it: a few nanoseconds count here.
    if (Communicator::is_known_native(comm))
        return native<PMPI_Bcast>(buffer, count, datatype, root, comm);
    return espalier::runtime::broadcast(buffer, count, datatype, root, comm);
}

extern "C" int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    if (Communicator::is_known_native(comm))
        return native<PMPI_Allgather>(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                      comm);
    return espalier::runtime::allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                        comm);
}

extern "C" int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    if (Communicator::is_known_native(comm))
        return native<PMPI_Alltoall>(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                     comm);
    return espalier::runtime::alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                       comm);
}

extern "C" int MPI_Alltoallv(const void* sendbuf, const int* sendcounts, const int* senddispls,
                             MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                             const int* recvdispls, MPI_Datatype recvtype, MPI_Comm comm) {
    if (Communicator::is_known_native(comm))
        return native<PMPI_Alltoallv>(sendbuf, sendcounts, senddispls, sendtype, recvbuf,
                                      recvcounts, recvdispls, recvtype, comm);
    return espalier::runtime::alltoallv(sendbuf, sendcounts, senddispls, sendtype, recvbuf,
                                        recvcounts, recvdispls, recvtype, comm);
}
