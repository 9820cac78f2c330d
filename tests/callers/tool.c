/* Another tool: counts some calls, as PMPI is meant to be used, and tells rank 0's. With TAKES_ALL
   it has every collective of the program that it is tried on, MPI_Init included. */
#include <mpi.h>
#include <stdio.h>

static int broadcasts, exchanges, starts, gatherings;

#ifdef TAKES_ALL
int MPI_Init(int* argc, char*** argv) {
    ++starts;
    return PMPI_Init(argc, argv);
}

int MPI_Allgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                  MPI_Datatype out_type, MPI_Comm comm) {
    ++gatherings;
    return PMPI_Allgather(in, in_count, in_type, out, out_count, out_type, comm);
}
#endif

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    ++broadcasts;
    return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Ialltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                  MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
    ++exchanges;
    return PMPI_Ialltoall(in, in_count, in_type, out, out_count, out_type, comm, request);
}

int MPI_Finalize(void) {
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("tool: %d starts, %d broadcasts, %d exchanges, %d gatherings\n", starts, broadcasts,
               exchanges, gatherings);
    return PMPI_Finalize();
}
