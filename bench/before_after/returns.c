/* When MPI_Bcast returns on each host, from a common start. The hosts of a testbed share the
 * machine's clock, so that rank 0 can compare them. Prints a line for each rank, of the call whose
 * last return is the median.
 *
 *     returns BYTES CALLS
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct call {
    double last;
    int number;
};

static int by_last(const void* a, const void* b) {
    const double difference = ((const struct call*)a)->last - ((const struct call*)b)->last;
    return (difference > 0) - (difference < 0);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int bytes = argc > 1 ? atoi(argv[1]) : 1 << 22;
    const int calls = argc > 2 ? atoi(argv[2]) : 20;
    char* message = calloc((size_t)bytes, 1);
    double* took = malloc(sizeof(double) * (size_t)calls);
    for (int call = 0; call < calls; ++call) {
        double start = now() + 0.2; /* by when all know it */
        MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        while (now() < start) usleep(200);
        MPI_Bcast(message, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        took[call] = now() - start;
    }
    double* all = malloc(sizeof(double) * (size_t)(calls * ranks));
    MPI_Gather(took, calls, MPI_DOUBLE, all, calls, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    char* hosts = malloc(sizeof host * (size_t)ranks);
    MPI_Gather(host, sizeof host, MPI_CHAR, hosts, sizeof host, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        /* The first half of the calls is for whatever has to settle. */
        const int first = calls / 2;
        struct call* order = malloc(sizeof(struct call) * (size_t)(calls - first));
        for (int call = first; call < calls; ++call) {
            double last = 0;
            for (int r = 0; r < ranks; ++r)
                if (all[r * calls + call] > last) last = all[r * calls + call];
            order[call - first] = (struct call){last, call};
        }
        qsort(order, (size_t)(calls - first), sizeof(struct call), by_last);
        const int median = order[(calls - first) / 2].number;
        for (int r = 0; r < ranks; ++r)
            printf("%s,%.6f\n", hosts + (size_t)r * sizeof host, all[r * calls + median]);
        free(order);
    }
    free(message);
    free(took);
    free(all);
    free(hosts);
    MPI_Finalize();
    return 0;
}
