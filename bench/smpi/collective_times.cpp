// How long a collective takes, warm: the time from a common start until the last rank is done.
//
//     collective_times COLLECTIVE SIZES [ROOT] [WARM_UPS] [REPETITIONS]
//
// COLLECTIVE is one of the names of checked_collectives. SIZES in bytes of one rank's operand (the
// message, the vector, one block), multiples of 8, separated by commas; 0 for a barrier. One line
// for each: bytes, seconds (the least of the repetitions), and whether every rank got the right
// numbers.

#include "../common/checked_collectives.hpp"
#include "warm_times.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace espalier::bench;
using namespace warm_times;

Outcome timed(const CheckedCall& collective) {
    collective.clear();
    const double start = common_start();
    collective.call();
    const double elapsed = MPI_Wtime() - start;
    return of_all_ranks(elapsed, collective.is_right());
}

/// Of the calls after those that warm up; 0: none is wrong.
int time_all(const Part& part, MakeCall make, const std::vector<int>& sizes, int warm_ups,
             int repetitions) {
    bool all_right = true;
    for (const int bytes : sizes) {
        const int count = bytes / static_cast<int>(sizeof(double));
        const CheckedCall collective = make(part, count);
        for (int call = 1; call < warm_ups; ++call) (void)timed(collective);
        const Outcome best = best_of(repetitions, [&] { return timed(collective); });
        all_right = all_right && best.right;
        if (part.rank == 0) {
            std::printf("%d %.9f %s\n", bytes, best.seconds, best.right ? "right" : "WRONG");
            std::fflush(stdout);
        }
    }
    return all_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Part part;
    MPI_Comm_rank(MPI_COMM_WORLD, &part.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &part.ranks);
    const auto found = checked_collectives.find(argc > 1 ? argv[1] : "");
    const auto sizes = argc > 2 ? parse_list(argv[2]) : std::vector<int>();
    part.root = argc > 3 ? std::atoi(argv[3]) : 0;
    const int warm_ups = argc > 4 ? std::atoi(argv[4]) : 1;
    const int repetitions = argc > 5 ? std::atoi(argv[5]) : 1;
    int status = 2;
    if (found == checked_collectives.end() || sizes.empty() || part.root >= part.ranks ||
        repetitions < 1) {
        if (part.rank == 0)
            std::fprintf(stderr,
                         "usage: collective_times COLLECTIVE SIZES [ROOT] [WARM_UPS] "
                         "[REPETITIONS]\n");
    } else {
        status = time_all(part, found->second, sizes, warm_ups, repetitions);
    }
    MPI_Finalize();
    return status;
}
