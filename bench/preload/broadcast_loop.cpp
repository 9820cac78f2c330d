// The median time of a broadcast between ranks of one host, for each size, on stdout: `bytes
// seconds`. Rank 0 and the last rank are root by turns, so that each waits for the other. With
// nothing of espalier in it: run it with and without the preloaded library.
//
//     broadcast_loop SIZE...

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

double median_time(int bytes, int last, std::vector<char>& buffer) {
    const int batch = bytes <= 4096 ? 200 : bytes <= 262144 ? 10 : 1;
    const int rounds = bytes <= 262144 ? 150 : 60;
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
        const double start = MPI_Wtime();
        for (int i = 0; i < batch; ++i) {
            MPI_Bcast(buffer.data(), bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
            MPI_Bcast(buffer.data(), bytes, MPI_CHAR, last, MPI_COMM_WORLD);
        }
        times.push_back((MPI_Wtime() - start) / (2 * batch));
    }
    const auto middle = times.begin() + rounds / 2;
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; ++i) {
        const int bytes = std::atoi(argv[i]);
        std::vector<char> buffer(static_cast<std::size_t>(bytes), 1);
        median_time(bytes, size - 1, buffer);  // warms up
        const double time = median_time(bytes, size - 1, buffer);
        if (rank == 0) std::printf("%d %.9f\n", bytes, time);
    }
    MPI_Finalize();
    return 0;
}
