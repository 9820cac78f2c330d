// Threads that exchange on communicators of their own at once.

#include "threads_main.hpp"

#include <mpi.h>

#include <vector>

namespace {

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
    return espalier::test::run_threads(argc, argv, 3, [](MPI_Comm comm, int thread) {
        int wrong = 0;
        for (int call = 0; call < 12; ++call)
            wrong += wrong_elements(comm, 1 + 97 * call, thread + call);
        return wrong;
    });
}
