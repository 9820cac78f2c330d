// How long a collective takes, warm: the time from a common start until the last rank is done.
//
//     collective_times COLLECTIVE SIZES [ROOT] [WARM_UPS] [REPETITIONS]
//
// COLLECTIVE is one of the names of checked_collectives. SIZES in bytes of one rank's operand (the
// message, the vector, one block), multiples of 8, separated by commas; 0 for a barrier. One line
// for each: bytes, seconds (the least of the repetitions), and whether every rank got the right
// numbers; `unseen` where operands are so long that ranks of a simulation share the memory of all.

#include "../common/checked_collectives.hpp"
#include "warm_times.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace espalier::bench;
using namespace warm_times;

/// A rank's operands of more bytes than this are folded.
constexpr std::size_t most_own_bytes = std::size_t{32} << 20;

/// Memory in which all blocks of all ranks lie over each other, for as long as the program runs: 88
/// ranks with 88 blocks of 1 MiB each would fill 15 GiB. A simulated clock does not mind.
double* folded(std::size_t numbers) {
    return static_cast<double*>(SMPI_SHARED_MALLOC(numbers * sizeof(double)));
}

/// A call with folded operands, which bring nothing that could be checked.
CheckedCall make_folded(const std::string& name, const Part& part, int count) {
    const std::size_t all = checked::all_blocks(part, count);
    double* const in = folded(name == "alltoall" ? all : static_cast<std::size_t>(count));
    double* const out = folded(all);
    const auto call = name == "alltoall" ? MPI_Alltoall : MPI_Allgather;
    return {[=] { call(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD); }, [] {},
            [] { return true; }};
}

bool is_folded(const std::string& name, const Part& part, int count) {
    return (name == "alltoall" || name == "allgather") &&
           checked::all_blocks(part, count) * sizeof(double) > most_own_bytes;
}

Outcome timed(const CheckedCall& collective) {
    collective.clear();
    const double start = common_start();
    collective.call();
    const double elapsed = MPI_Wtime() - start;
    return of_all_ranks(elapsed, collective.is_right());
}

/// Times the calls after those that warm up; returns the number of wrong results.
int time_all(const Part& part, const std::string& name, const std::vector<int>& sizes, int warm_ups,
             int repetitions) {
    const MakeCall make = checked_collectives.at(name);
    bool all_right = true;
    for (const int bytes : sizes) {
        const int count = bytes / static_cast<int>(sizeof(double));
        const bool is_unseen = is_folded(name, part, count);
        const CheckedCall collective =
            is_unseen ? make_folded(name, part, count) : make(part, count);
        for (int call = 1; call < warm_ups; ++call) (void)timed(collective);
        const Outcome best = best_of(repetitions, [&] { return timed(collective); });
        all_right = all_right && best.right;
        if (part.rank == 0) {
            const char* const verdict = is_unseen ? "unseen" : best.right ? "right" : "WRONG";
            std::printf("%d %.9f %s\n", bytes, best.seconds, verdict);
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
    const std::string name = argc > 1 ? argv[1] : "";
    const auto sizes = argc > 2 ? parse_list(argv[2]) : std::vector<int>();
    part.root = argc > 3 ? std::atoi(argv[3]) : 0;
    const int warm_ups = argc > 4 ? std::atoi(argv[4]) : 1;
    const int repetitions = argc > 5 ? std::atoi(argv[5]) : 1;
    int status = 2;
    if (!checked_collectives.contains(name) || sizes.empty() || part.root >= part.ranks ||
        repetitions < 1) {
        if (part.rank == 0)
            std::fprintf(stderr,
                         "usage: collective_times COLLECTIVE SIZES [ROOT] [WARM_UPS] "
                         "[REPETITIONS]\n");
    } else {
        status = time_all(part, name, sizes, warm_ups, repetitions);
    }
    MPI_Finalize();
    return status;
}
