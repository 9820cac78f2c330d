// Threads that broadcast on communicators of their own at once, the first of them while the library
// starts. A main of its own, because MPI has to be told of the threads.

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr int thread_count = 3;

int wrong_bytes(MPI_Comm comm, int bytes, int root, int seed) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::vector<unsigned char> data(static_cast<std::size_t>(bytes), 0);
    const auto expected = [seed](std::size_t i) {
        return static_cast<unsigned char>(i * 3 + 7 * static_cast<std::size_t>(seed));
    };
    if (rank == root)
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = expected(i);
    MPI_Bcast(data.data(), bytes, MPI_BYTE, root, comm);
    int wrong = 0;
    for (std::size_t i = 0; i < data.size(); ++i) wrong += data[i] != expected(i);
    return wrong;
}

int broadcast_in_threads(std::vector<MPI_Comm>& comms, int size) {
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t)
        threads.emplace_back([&, t] {
            const MPI_Comm comm = comms[static_cast<std::size_t>(t)];
            for (int round = 0; round < 30; ++round)
                wrong += wrong_bytes(comm, 1 + 997 * round, round % size, t);
        });
    for (std::thread& thread : threads) thread.join();
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int wrong = 0;
    if (provided == MPI_THREAD_MULTIPLE) {
        for (int round = 0; round < 3; ++round) {
            std::vector<MPI_Comm> comms(thread_count);
            for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            wrong += broadcast_in_threads(comms, size);
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
