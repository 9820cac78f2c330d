// Threads that broadcast on communicators of their own at once, the first of them while the library
// starts.

#include "threads_main.hpp"

#include <mpi.h>

#include <vector>

namespace {

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

}  // namespace

int main(int argc, char** argv) {
    return espalier::test::run_threads(argc, argv, 3, [](MPI_Comm comm, int thread) {
        int size = 0;
        MPI_Comm_size(comm, &size);
        int wrong = 0;
        for (int call = 0; call < 30; ++call)
            wrong += wrong_bytes(comm, 1 + 997 * call, call % size, thread);
        return wrong;
    });
}
