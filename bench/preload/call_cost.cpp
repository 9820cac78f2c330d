// What the library adds to a broadcast, or an all-to-all, that it leaves to MPI, even on a busy
// machine: calls through it (MPI_Bcast) and past it (PMPI_Bcast) by turns, a few microseconds
// apart, in one job of two ranks with the library preloaded. For each size: both medians, the
// median of the ratios of neighbours, and its 95% interval from the order of the ratios.
//
//     call_cost [broadcast|alltoall] SIZE...

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

/// A buffer of two blocks; both ranks have their turn at whatever turns there are.
using Collective = void (*)(std::vector<char>& buffer, int bytes, int turn);

template <auto Broadcast>
void broadcast(std::vector<char>& buffer, int bytes, int turn) {
    Broadcast(buffer.data(), bytes, MPI_CHAR, turn, MPI_COMM_WORLD);
}

template <auto Alltoall>
void alltoall(std::vector<char>& buffer, int bytes, int) {
    Alltoall(buffer.data(), bytes, MPI_CHAR, buffer.data() + 2 * bytes, bytes, MPI_CHAR,
             MPI_COMM_WORLD);
}

struct Both {
    Collective through;
    Collective past;
};

double time_of(Collective collective, std::vector<char>& buffer, int bytes, int batch) {
    const double start = MPI_Wtime();
    for (int i = 0; i < batch; ++i) {
        collective(buffer, bytes, 0);
        collective(buffer, bytes, 1);
    }
    return (MPI_Wtime() - start) / (2 * batch);
}

double quantile(const std::vector<double>& sorted, double part) {
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

void compare(const Both& both, int bytes, bool prints) {
    const int batch = bytes <= 4096 ? 200 : bytes <= 65536 ? 20 : 1;
    const int rounds = bytes <= 65536 ? 1000 : 200;
    std::vector<char> buffer(4 * static_cast<std::size_t>(bytes), 1);
    std::vector<double> through;
    std::vector<double> past;
    std::vector<double> ratios;
    time_of(both.through, buffer, bytes, batch);
    for (int round = 0; round < rounds; ++round) {
        const bool first = round % 2 == 0;
        const double a = time_of(first ? both.through : both.past, buffer, bytes, batch);
        const double b = time_of(first ? both.past : both.through, buffer, bytes, batch);
        through.push_back(first ? a : b);
        past.push_back(first ? b : a);
        ratios.push_back(through.back() / past.back());
    }
    for (auto* times : {&through, &past, &ratios}) std::sort(times->begin(), times->end());
    // The median lies between these order statistics with 95% (binomial, as a normal).
    const double half = 0.98 / std::sqrt(rounds);
    if (prints)
        std::printf("%8d %11.3f %11.3f %7.3f  %.3f to %.3f\n", bytes, quantile(past, 0.5) * 1e6,
                    quantile(through, 0.5) * 1e6, quantile(ratios, 0.5),
                    quantile(ratios, 0.5 - half), quantile(ratios, 0.5 + half));
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::printf("   bytes     past us  through us   ratio  95%% interval\n");
    Both both{broadcast<&MPI_Bcast>, broadcast<&PMPI_Bcast>};
    int next = 1;
    if (argc > 1 && std::strcmp(argv[1], "alltoall") == 0)
        both = {alltoall<&MPI_Alltoall>, alltoall<&PMPI_Alltoall>};
    if (argc > 1 && std::atoi(argv[1]) == 0) ++next;
    for (; next < argc; ++next) compare(both, std::atoi(argv[next]), rank == 0);
    MPI_Finalize();
    return 0;
}
