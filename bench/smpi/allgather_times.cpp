// How long MPI_Allgather takes, warm: the time from a common start until the last rank is done.
//
//     allgather_times SIZES [REPETITIONS]
//
// SIZES of a block in bytes, separated by commas. One line for each: bytes, seconds (the least of
// the repetitions), and whether every rank got the right bytes.

#include "warm_times.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace warm_times;

unsigned char pattern(std::size_t index, int from) {
    return static_cast<unsigned char>(index * 31 + index / 251 +
                                      static_cast<std::size_t>(from) * 7);
}

Outcome gather(int bytes, int rank, int ranks) {
    const auto block = static_cast<std::size_t>(bytes);
    std::vector<unsigned char> input(block);
    std::vector<unsigned char> output(block * static_cast<std::size_t>(ranks));
    for (std::size_t i = 0; i < block; ++i) input[i] = pattern(i, rank);
    const double start = common_start();
    MPI_Allgather(input.data(), bytes, MPI_BYTE, output.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    const double elapsed = MPI_Wtime() - start;
    bool right = true;
    for (std::size_t i = 0; i < output.size(); ++i)
        right &= output[i] == pattern(i % block, static_cast<int>(i / block));
    return of_all_ranks(elapsed, right);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const auto sizes = argc > 1 ? parse_list(argv[1]) : std::vector<int>();
    const int repetitions = argc > 2 ? std::atoi(argv[2]) : 1;
    if (sizes.empty() || repetitions < 1) {
        if (rank == 0) std::fprintf(stderr, "usage: allgather_times SIZES [REPETITIONS]\n");
        MPI_Finalize();
        return 2;
    }
    bool all_right = true;
    for (const int bytes : sizes) {
        const Outcome best = best_of(repetitions, [&] { return gather(bytes, rank, ranks); });
        all_right = all_right && best.right;
        if (rank == 0) {
            std::printf("%d %.9f %s\n", bytes, best.seconds, best.right ? "right" : "WRONG");
            std::fflush(stdout);
        }
    }
    MPI_Finalize();
    return all_right ? 0 : 1;
}
