/* A plain MPI program that knows nothing of Espalier: again and again, the ranks add up a vector
 * that each of them has, as those do that train a model together. Prints the time of a round, and a
 * sum by which two runs can be compared.
 *
 *     mpicc average.c -o average && mpirun -n 4 ./average 1048576 40
 */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int bytes = argc > 1 ? atoi(argv[1]) : 1 << 20;
    const int rounds = argc > 2 ? atoi(argv[2]) : 40;
    const int count = bytes / (int)sizeof(uint64_t);
    uint64_t* own = malloc((size_t)bytes + 1);
    uint64_t* sum = malloc((size_t)bytes + 1);
    for (int i = 0; i < count; ++i) own[i] = (uint64_t)i + (uint64_t)rank;

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = 0;
    for (int round = 0; round < rounds; ++round) {
        /* What is planned in the first rounds pays in all later ones: they are timed apart. */
        if (round == rounds / 2) begin = MPI_Wtime();
        MPI_Allreduce(own, sum, count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < count; ++i) own[i] = sum[i] / (uint64_t)ranks;
    }
    const double seconds = (MPI_Wtime() - begin) / (rounds - rounds / 2);

    uint64_t check = 0;
    for (int i = 0; i < count; ++i) check = check * 31 + own[i];
    if (rank == 0)
        printf("%d ranks, %d bytes: %.1f ms a round, sum %016llx\n", ranks, bytes, 1000 * seconds,
               (unsigned long long)check);
    free(own);
    free(sum);
    MPI_Finalize();
    return 0;
}
