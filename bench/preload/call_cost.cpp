// What the library adds to a broadcast that it leaves to MPI, even on a busy machine: calls through
// it (MPI_Bcast) and past it (PMPI_Bcast) by turns, a few microseconds apart, in one job of two
// ranks with the library preloaded. For each size: both medians, the median of the ratios of
// neighbours, and its 95% interval from the order of the ratios.
//
//     call_cost SIZE...

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using Broadcast = int (*)(void*, int, MPI_Datatype, int, MPI_Comm);

double time_of(Broadcast broadcast, std::vector<char>& buffer, int batch) {
    const int bytes = static_cast<int>(buffer.size());
    const double start = MPI_Wtime();
    for (int i = 0; i < batch; ++i) {
        broadcast(buffer.data(), bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
        broadcast(buffer.data(), bytes, MPI_CHAR, 1, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / (2 * batch);
}

double quantile(const std::vector<double>& sorted, double part) {
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

void compare(int bytes, bool prints) {
    const int batch = bytes <= 4096 ? 200 : bytes <= 65536 ? 20 : 1;
    const int rounds = bytes <= 65536 ? 1000 : 200;
    std::vector<char> buffer(static_cast<std::size_t>(bytes), 1);
    std::vector<double> through;
    std::vector<double> past;
    std::vector<double> ratios;
    time_of(MPI_Bcast, buffer, batch);
    for (int round = 0; round < rounds; ++round) {
        const bool first = round % 2 == 0;
        const double a = time_of(first ? MPI_Bcast : PMPI_Bcast, buffer, batch);
        const double b = time_of(first ? PMPI_Bcast : MPI_Bcast, buffer, batch);
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
    for (int i = 1; i < argc; ++i) compare(std::atoi(argv[i]), rank == 0);
    MPI_Finalize();
    return 0;
}
