// Threads that make, use and free communicators of their own at once, with calls that are planned,
// measured and reported, and some that never are.

#include "threads_main.hpp"

#include <mpi.h>

#include <vector>

namespace {

/// A sum, a broadcast and a nonblocking one; how many results are wrong.
int wrong_results(MPI_Comm comm, int seed) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int count = 1 + 501 * (seed % 3);
    std::vector<int> own(static_cast<std::size_t>(count), rank + seed);
    std::vector<int> sums(own.size(), -1);
    MPI_Allreduce(own.data(), sums.data(), count, MPI_INT, MPI_SUM, comm);
    int wrong = sums.back() != size * seed + size * (size - 1) / 2;
    const int root = seed % size;
    MPI_Bcast(own.data(), count, MPI_INT, root, comm);
    wrong += own.back() != root + seed;
    MPI_Request request = MPI_REQUEST_NULL;
    int word = rank == root ? seed : -1;
    MPI_Ibcast(&word, 1, MPI_INT, root, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return wrong + (word != seed);
}

}  // namespace

int main(int argc, char** argv) {
    return espalier::test::run_threads(argc, argv, 2, [](MPI_Comm comm, int thread) {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        int wrong = 0;
        for (int round = 0; round < 2; ++round) {
            MPI_Comm copy = MPI_COMM_NULL;
            MPI_Comm turned = MPI_COMM_NULL;
            MPI_Comm_dup(comm, &copy);
            MPI_Comm_split(comm, 0, -rank, &turned);
            for (int call = 0; call < 4; ++call) {
                wrong += wrong_results(copy, thread + call);
                wrong += wrong_results(turned, thread + call);
            }
            MPI_Comm_free(&copy);
            MPI_Comm_free(&turned);
        }
        return wrong;
    });
}
