// How long MPI_Bcast takes, warm: the time from a common start until the last rank is done.
//
//     broadcast_times SIZES ROOTS [REPETITIONS]
//
// SIZES in bytes and ROOTS as ranks, separated by commas. One line for each root and size: root,
// bytes, seconds (the least of the repetitions), and whether every rank got the right bytes.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

std::vector<int> parse_list(const char* text) {
    std::vector<int> numbers;
    for (const char* at = text; *at != '\0';) {
        char* end = nullptr;
        numbers.push_back(static_cast<int>(std::strtol(at, &end, 10)));
        if (end == at) return {};
        at = *end == ',' ? end + 1 : end;
    }
    return numbers;
}

void sleep_until(double time) {
    const double wait = time - MPI_Wtime();
    if (wait <= 0) return;
    timespec duration{};
    duration.tv_sec = static_cast<time_t>(wait);
    duration.tv_nsec = static_cast<long>((wait - std::floor(wait)) * 1e9);
    nanosleep(&duration, nullptr);
}

/// A whole second that is the same for all ranks, and reached by all. No barrier: ranks leave one
/// at different times.
double common_start() {
    const double now = MPI_Wtime();
    double latest = 0;
    MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const double start = std::ceil(latest + 2);
    sleep_until(start);
    return start;
}

unsigned char pattern(std::size_t index, int root) {
    return static_cast<unsigned char>(index * 31 + index / 251 + static_cast<std::size_t>(root));
}

struct Outcome {
    double seconds = 0;
    bool right = true;
};

Outcome broadcast(int bytes, int root, int rank) {
    std::vector<unsigned char> buffer(static_cast<std::size_t>(bytes));
    if (rank == root)
        for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = pattern(i, root);
    const double start = common_start();
    MPI_Bcast(buffer.data(), bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    const double elapsed = MPI_Wtime() - start;
    int wrong = 0;
    for (std::size_t i = 0; i < buffer.size(); ++i) wrong |= buffer[i] != pattern(i, root);
    Outcome outcome;
    int any_wrong = 0;
    MPI_Allreduce(&elapsed, &outcome.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&wrong, &any_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    outcome.right = any_wrong == 0;
    return outcome;
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
            Outcome best = broadcast(bytes, root, rank);  // warms up
            best.seconds = HUGE_VAL;
            for (int r = 0; r < repetitions; ++r) {
                const Outcome outcome = broadcast(bytes, root, rank);
                best.seconds = std::min(best.seconds, outcome.seconds);
                best.right = best.right && outcome.right;
            }
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
