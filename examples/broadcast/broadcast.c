/* A plain MPI program that knows nothing of Espalier: broadcasts messages from every rank and
 * prints one checksum of all bytes that all ranks received.
 *
 *     mpicc broadcast.c -o broadcast && mpirun -n 4 ./broadcast 1048576
 */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t checksum(const unsigned char* bytes, int count) {
    uint64_t sum = 14695981039346656037u; /* FNV-1a */
    for (int i = 0; i < count; ++i) sum = (sum ^ bytes[i]) * 1099511628211u;
    return sum;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int largest = argc > 1 ? atoi(argv[1]) : 1 << 20;
    unsigned char* message = malloc((size_t)largest + 1);
    uint64_t all = 0;
    for (int root = 0; root < ranks; ++root) {
        for (int size = 1; size <= largest; size *= 8) {
            if (rank == root)
                for (int i = 0; i < size; ++i)
                    message[i] = (unsigned char)(i * 7 + root + size % 251);
            MPI_Bcast(message, size, MPI_BYTE, root, MPI_COMM_WORLD);
            all = all * 31 + checksum(message, size);
        }
    }
    uint64_t combined = 0;
    MPI_Reduce(&all, &combined, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    /* An even number of equal sums cancels out, so the first rank's own sum is printed beside it.
     */
    if (rank == 0)
        printf("%016llx %016llx\n", (unsigned long long)all, (unsigned long long)combined);
    free(message);
    MPI_Finalize();
    return 0;
}
