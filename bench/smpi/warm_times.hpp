#pragma once

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <vector>

/// Parts of programs that time a collective from a common start until the last rank is done.
namespace warm_times {

/// The numbers of a list that commas separate; empty if the text is no such list.
inline std::vector<int> parse_list(const char* text) {
    std::vector<int> numbers;
    for (const char* at = text; *at != '\0';) {
        char* end = nullptr;
        numbers.push_back(static_cast<int>(std::strtol(at, &end, 10)));
        if (end == at) return {};
        at = *end == ',' ? end + 1 : end;
    }
    return numbers;
}

inline void sleep_until(double time) {
    const double wait = time - MPI_Wtime();
    if (wait <= 0) return;
    timespec duration{};
    duration.tv_sec = static_cast<time_t>(wait);
    duration.tv_nsec = static_cast<long>((wait - std::floor(wait)) * 1e9);
    nanosleep(&duration, nullptr);
}

/// A whole second that is the same for all ranks, and reached by all. No barrier: ranks leave one
/// at different times.
inline double common_start() {
    const double now = MPI_Wtime();
    double latest = 0;
    MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const double start = std::ceil(latest + 2);
    sleep_until(start);
    return start;
}

struct Outcome {
    double seconds = 0;
    bool right = true;
};

/// The longest time of all ranks, and whether what all of them got is right.
inline Outcome of_all_ranks(double seconds, bool right) {
    Outcome outcome;
    const int wrong = right ? 0 : 1;
    int any_wrong = 0;
    MPI_Allreduce(&seconds, &outcome.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&wrong, &any_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    outcome.right = any_wrong == 0;
    return outcome;
}

/// The quickest of some calls of `run`, which returns an Outcome, after one that warms up.
template <typename Run>
Outcome best_of(int repetitions, Run run) {
    Outcome best = run();
    best.seconds = HUGE_VAL;
    for (int r = 0; r < repetitions; ++r) {
        const Outcome outcome = run();
        best.seconds = std::min(best.seconds, outcome.seconds);
        best.right = best.right && outcome.right;
    }
    return best;
}

}  // namespace warm_times
