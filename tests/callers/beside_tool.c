/* What both kinds of tool.c are tried on: calls that are planned, and calls that are not. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, ranks, number, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int root = 0; root < ranks; ++root) {
        number = rank;
        MPI_Bcast(&number, 1, MPI_INT, root, MPI_COMM_WORLD);
        wrong += number != root;
    }
    int* in = malloc((size_t)ranks * sizeof(int));
    int* out = malloc((size_t)ranks * sizeof(int));
    for (int i = 0; i < ranks; ++i) in[i] = rank;
    MPI_Request request;
    MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < ranks; ++i) wrong += out[i] != i;
    MPI_Allgather(&rank, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; ++i) wrong += out[i] != i;
    free(in);
    free(out);
    if (wrong) printf("rank %d: %d wrong\n", rank, wrong);
    MPI_Finalize();
    return 0;
}
