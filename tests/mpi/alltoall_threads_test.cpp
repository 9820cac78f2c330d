// Threads that exchange on communicators of their own at once. A main of its own, because MPI has
// to be told of the threads.

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr int thread_count = 3;

int wrong_elements(MPI_Comm comm, int count, int seed) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const auto length = static_cast<std::size_t>(count * size);
    std::vector<int> input(length);
    std::vector<int> output(length, -1);
    for (int i = 0; i < count * size; ++i)
        input[static_cast<std::size_t>(i)] = rank * 100'000 + i + seed;
    if (seed % 2 == 0) {
        MPI_Alltoall(input.data(), count, MPI_INT, output.data(), count, MPI_INT, comm);
    } else {
        std::vector<int> counts(static_cast<std::size_t>(size), count);
        std::vector<int> displacements;
        for (int r = 0; r < size; ++r) displacements.push_back(r * count);
        MPI_Alltoallv(input.data(), counts.data(), displacements.data(), MPI_INT, output.data(),
                      counts.data(), displacements.data(), MPI_INT, comm);
    }
    int wrong = 0;
    for (int from = 0; from < size; ++from)
        for (int i = 0; i < count; ++i)
            wrong += output[static_cast<std::size_t>(from * count + i)] !=
                     from * 100'000 + rank * count + i + seed;
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::atomic<int> wrong = 0;
    if (provided == MPI_THREAD_MULTIPLE) {
        for (int round = 0; round < 3; ++round) {
            std::vector<MPI_Comm> comms(thread_count);
            for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            std::vector<std::thread> threads;
            for (int t = 0; t < thread_count; ++t)
                threads.emplace_back([&wrong, comm = comms[static_cast<std::size_t>(t)], t] {
                    for (int call = 0; call < 12; ++call)
                        wrong += wrong_elements(comm, 1 + 97 * call, t + call);
                });
            for (std::thread& thread : threads) thread.join();
            for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
        }
    } else if (rank == 0) {
        std::puts("skipped: this MPI does not let several threads call it");
    }
    const int wrong_here = wrong;
    int all_wrong = 0;
    MPI_Allreduce(&wrong_here, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%d wrong\n", all_wrong);
    MPI_Finalize();
    return all_wrong == 0 ? 0 : 1;
}
