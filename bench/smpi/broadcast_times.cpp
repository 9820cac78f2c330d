// How long MPI_Bcast takes, warm: the time from a common start until the last rank is done.
//
//     broadcast_times SIZES ROOTS [REPETITIONS]
//
// SIZES in bytes and ROOTS as ranks, separated by commas. One line for each root and size: root,
// bytes, seconds (the least of the repetitions), and whether every rank got the right bytes.

#include "warm_times.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace warm_times;

unsigned char pattern(std::size_t index, int root) {
    return static_cast<unsigned char>(index * 31 + index / 251 + static_cast<std::size_t>(root));
}

Outcome broadcast(int bytes, int root, int rank) {
    std::vector<unsigned char> buffer(static_cast<std::size_t>(bytes));
    if (rank == root)
        for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = pattern(i, root);
    const double start = common_start();
    MPI_Bcast(buffer.data(), bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    const double elapsed = MPI_Wtime() - start;
    bool right = true;
    for (std::size_t i = 0; i < buffer.size(); ++i) right &= buffer[i] == pattern(i, root);
    return of_all_ranks(elapsed, right);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const auto sizes = argc > 2 ? parse_list(argv[1]) : std::vector<int>();
    const auto roots = argc > 2 ? parse_list(argv[2]) : std::vector<int>();
    const int repetitions = argc > 3 ? std::atoi(argv[3]) : 1;
    if (sizes.empty() || roots.empty() || repetitions < 1) {
        if (rank == 0) std::fprintf(stderr, "usage: broadcast_times SIZES ROOTS [REPETITIONS]\n");
        MPI_Finalize();
        return 2;
    }
    bool all_right = true;
    for (const int root : roots) {
        for (const int bytes : sizes) {
            const Outcome best = best_of(repetitions, [&] { return broadcast(bytes, root, rank); });
            all_right = all_right && best.right;
            if (rank == 0) {
                std::printf("%d %d %.9f %s\n", root, bytes, best.seconds,
                            best.right ? "right" : "WRONG");
                std::fflush(stdout);
            }
        }
    }
    MPI_Finalize();
    return all_right ? 0 : 1;
}
