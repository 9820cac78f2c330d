// Threads that perform collectives of all kinds on communicators of their own at once, and wait for
// each other nowhere else. A main of its own, because MPI has to be told of the threads.

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

namespace {

constexpr int thread_count = 3;

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

int run_in_threads(const std::vector<MPI_Comm>& comms) {
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 4; ++round)
                wrong += wrong_results(comms[static_cast<std::size_t>(t)], 8 + 1331 * round, t);
        });
    for (std::thread& thread : threads) thread.join();
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int wrong = 0;
    if (provided == MPI_THREAD_MULTIPLE) {
        for (int round = 0; round < 2; ++round) {
            std::vector<MPI_Comm> comms(thread_count);
            for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            wrong += run_in_threads(comms);
            for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
        }
    } else if (rank == 0) {
        std::puts("skipped: this MPI does not let several threads call it");
    }
    int all_wrong = 0;
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%d wrong\n", all_wrong);
    MPI_Finalize();
    return all_wrong == 0 ? 0 : 1;
}
