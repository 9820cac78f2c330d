// What the library adds to a collective that it leaves to MPI, even on a busy machine: calls
// through it (MPI_Bcast) and past it (PMPI_Bcast) by turns, a few microseconds apart, in one job
// with the library preloaded. For each collective and size: the median of the calls past it, that
// of the differences of neighbours, that of their ratios, and its 95% interval from the order of
// the ratios. Ends with the greatest of each.
//
//     call_cost [COLLECTIVE] SIZE...
//
// The library's own work alone, for each collective: calls of one element on two communicators of
// one rank by turns, which MPI itself is done with at once; the difference of the medians.
//
//     call_cost body

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "collectives.hpp"

using namespace espalier::bench;

namespace {

double quantile(const std::vector<double>& sorted, double part) {
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

/// The greatest of some figures, and whose it is.
struct Greatest {
    double value = 0;
    const char* name = "none";

    void enter(double figure, const char* of) {
        if (figure <= value) return;
        value = figure;
        name = of;
    }
};

/// Of what is compared on this rank.
struct Worst {
    Greatest added;  ///< seconds a call
    Greatest ratio;  ///< the upper ends of its intervals
};

void compare(const Both& both, int bytes, bool prints, Worst& worst) {
    const int batch = bytes <= 4096 ? 200 : bytes <= 65536 ? 20 : 1;
    const int rounds = bytes <= 65536 ? 1000 : 200;
    Buffers buffers(bytes, MPI_COMM_WORLD);
    std::vector<double> past;
    std::vector<double> added;
    std::vector<double> ratios;
    time_of(both.through, buffers, batch);
    for (int round = 0; round < rounds; ++round) {
        const bool first = round % 2 == 0;
        const double a = time_of(first ? both.through : both.past, buffers, batch);
        const double b = time_of(first ? both.past : both.through, buffers, batch);
        const double through = first ? a : b;
        past.push_back(first ? b : a);
        added.push_back(through - past.back());
        ratios.push_back(through / past.back());
    }
    for (auto* times : {&past, &added, &ratios}) std::sort(times->begin(), times->end());
    // The median lies between these order statistics with 95% (binomial, as a normal).
    const double half = 0.98 / std::sqrt(rounds);
    const double most = quantile(ratios, 0.5 + half);
    worst.added.enter(quantile(added, 0.5), both.name);
    worst.ratio.enter(most, both.name);
    if (prints)
        std::printf("%-20s %8d %11.3f %9.4f %7.3f  %.3f to %.3f\n", both.name, bytes,
                    quantile(past, 0.5) * 1e6, quantile(added, 0.5) * 1e6, quantile(ratios, 0.5),
                    quantile(ratios, 0.5 - half), most);
}

/// Seconds of a call on two communicators by turns: what is remembered of one does not help.
double seconds_of(Collective collective, Buffers& one, Buffers& other) {
    constexpr int batch = 500;
    const double start = MPI_Wtime();
    for (int i = 0; i < batch; ++i) {
        collective(one, 0);
        collective(other, 0);
    }
    return (MPI_Wtime() - start) / (2 * batch);
}

void time_bodies(bool prints) {
    MPI_Comm comms[2];
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_SELF, &comm);
    Buffers one(1, comms[0]);
    Buffers other(1, comms[1]);
    for (const Both& both : collectives) {
        std::vector<double> same;
        std::vector<double> by_turns;
        std::vector<double> past;
        for (int round = 0; round < 201; ++round) {
            past.push_back(seconds_of(both.past, one, other));
            same.push_back(seconds_of(both.through, one, one));
            by_turns.push_back(seconds_of(both.through, one, other));
        }
        for (auto* times : {&same, &by_turns, &past}) std::sort(times->begin(), times->end());
        const double native = quantile(past, 0.5);
        if (prints)
            std::printf("%-20s %11.3f %16.3f %19.3f\n", both.name, native * 1e6,
                        (quantile(same, 0.5) - native) * 1e6,
                        (quantile(by_turns, 0.5) - native) * 1e6);
    }
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const bool prints = rank == 0;
    if (argc > 1 && std::strcmp(argv[1], "body") == 0) {
        if (prints)
            std::printf("collective             MPI's us    adds us (same)  adds us (by turns)\n");
        time_bodies(prints);
        MPI_Finalize();
        return 0;
    }
    int next = 1;
    const bool is_one = argc > 1 && std::atoi(argv[1]) == 0;
    if (is_one) ++next;
    if (prints)
        std::printf("collective              bytes   MPI's us   adds us   ratio  95%% interval\n");
    Worst worst;
    for (; next < argc; ++next)
        for (const Both& both : collectives)
            if (!is_one || std::strcmp(argv[1], both.name) == 0)
                compare(both, std::atoi(argv[next]), prints, worst);
    if (prints)
        std::printf("adds at most %.4f us (%s); intervals end at most at %.3f (%s)\n",
                    worst.added.value * 1e6, worst.added.name, worst.ratio.value, worst.ratio.name);
    MPI_Finalize();
    return 0;
}
