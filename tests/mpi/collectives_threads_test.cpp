// Threads that perform collectives of all kinds on communicators of their own at once, and wait for
// each other nowhere else.

#include "threads_main.hpp"

#include <mpi.h>

#include <numeric>
#include <vector>

namespace {

/// One round of calls on `comm`; how many results are wrong.
int wrong_results(MPI_Comm comm, int count, int seed) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const auto length = static_cast<std::size_t>(count);
    const auto ranks = static_cast<std::size_t>(size);
    std::vector<int> own(length, rank + seed);
    std::vector<int> one(length, -1);
    std::vector<int> all(length * ranks, -1);
    const int sum = size * seed + size * (size - 1) / 2;
    int wrong = 0;
    const auto expect = [&](int value, int expected) { wrong += value == expected ? 0 : 1; };

    MPI_Allreduce(own.data(), one.data(), count, MPI_INT, MPI_SUM, comm);
    expect(one.back(), sum);
    MPI_Scan(own.data(), one.data(), count, MPI_INT, MPI_MAX, comm);
    expect(one.front(), rank + seed);
    MPI_Reduce(own.data(), one.data(), count, MPI_INT, MPI_SUM, seed % size, comm);
    if (rank == seed % size) expect(one.front(), sum);
    MPI_Barrier(comm);
    MPI_Allgather(own.data(), count, MPI_INT, all.data(), count, MPI_INT, comm);
    for (std::size_t r = 0; r < ranks; ++r)
        expect(all[r * length + length - 1], static_cast<int>(r) + seed);
    MPI_Scatter(all.data(), count, MPI_INT, one.data(), count, MPI_INT, 0, comm);
    expect(one.back(), rank + seed);
    MPI_Reduce_scatter_block(all.data(), one.data(), count, MPI_INT, MPI_SUM, comm);
    expect(one.front(), size * (rank + seed));
    std::vector<int> counts(ranks);
    std::iota(counts.begin(), counts.end(), 0);
    std::vector<int> places(ranks);
    for (std::size_t r = 0; r < ranks; ++r) places[r] = static_cast<int>(r * length);
    MPI_Gatherv(own.data(), counts[static_cast<std::size_t>(rank)], MPI_INT, all.data(),
                counts.data(), places.data(), MPI_INT, 0, comm);
    if (rank == 0 && size > 1) expect(all[(ranks - 1) * length], size - 1 + seed);
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    return espalier::test::run_threads(argc, argv, 2, [](MPI_Comm comm, int thread) {
        int wrong = 0;
        for (int call = 0; call < 4; ++call) wrong += wrong_results(comm, 8 + 1331 * call, thread);
        return wrong;
    });
}
