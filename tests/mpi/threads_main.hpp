#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

namespace espalier::test {

/// What one thread does on a communicator of its own; how much of it came out wrong.
using ThreadCalls = std::function<int(MPI_Comm comm, int thread)>;

/// The main program of tests with threads, which MPI has to be told of: in each round three of them
/// make their calls at once, on new communicators. Returns the exit status.
inline int run_threads(int argc, char** argv, int rounds, const ThreadCalls& calls) {
    constexpr int thread_count = 3;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::atomic<int> wrong = 0;
    if (provided == MPI_THREAD_MULTIPLE) {
        for (int round = 0; round < rounds; ++round) {
            std::vector<MPI_Comm> comms(thread_count);
            for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            std::vector<std::thread> threads;
            for (int t = 0; t < thread_count; ++t)
                threads.emplace_back([&wrong, &calls, comm = comms[static_cast<std::size_t>(t)],
                                      t] { wrong += calls(comm, t); });
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

}  // namespace espalier::test
