// The median time of every collective between ranks of one host, for each size of a block, on
// stdout: `collective bytes seconds`. With nothing of espalier in it: run it with and without the
// preloaded library.
//
//     collective_loop SIZE...

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "collectives.hpp"

using namespace espalier::bench;

namespace {

double median_time(Collective collective, Buffers& buffers) {
    const int batch = buffers.bytes <= 4096 ? 50 : buffers.bytes <= 65536 ? 10 : 1;
    const int rounds = buffers.bytes <= 262144 ? 40 : 10;
    std::vector<double> times;
    time_of(collective, buffers, batch);
    for (int round = 0; round < rounds; ++round)
        times.push_back(time_of(collective, buffers, batch));
    const auto middle = times.begin() + rounds / 2;
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < argc; ++i) {
        Buffers buffers(std::atoi(argv[i]), MPI_COMM_WORLD);
        for (const Both& both : collectives) {
            const double time = median_time(both.through, buffers);
            if (rank == 0) std::printf("%s %d %.9f\n", both.name, buffers.bytes, time);
        }
    }
    MPI_Finalize();
    return 0;
}
