// How long MPI_Alltoall takes, warm: the time from a common start until the last rank is done.
//
//     exchange_times SIZES [REPETITIONS]
//
// SIZES of a block in bytes, separated by commas. One line for each: bytes, seconds (the least of
// the repetitions), and whether every rank got the right bytes.

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

unsigned char pattern(std::size_t index, int from, int to) {
    return static_cast<unsigned char>(index * 31 + index / 251 +
                                      static_cast<std::size_t>(from) * 7 +
                                      static_cast<std::size_t>(to) * 13);
}

struct Outcome {
    double seconds = 0;
    bool right = true;
};

Outcome exchange(int bytes, int rank, int ranks) {
    const auto block = static_cast<std::size_t>(bytes);
    std::vector<unsigned char> input(block * static_cast<std::size_t>(ranks));
    std::vector<unsigned char> output(input.size());
    for (std::size_t i = 0; i < input.size(); ++i)
        input[i] = pattern(i % block, rank, static_cast<int>(i / block));
    const double start = common_start();
    MPI_Alltoall(input.data(), bytes, MPI_BYTE, output.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    const double elapsed = MPI_Wtime() - start;
    int wrong = 0;
    for (std::size_t i = 0; i < output.size(); ++i)
        wrong |= output[i] != pattern(i % block, static_cast<int>(i / block), rank);
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
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const auto sizes = argc > 1 ? parse_list(argv[1]) : std::vector<int>();
    const int repetitions = argc > 2 ? std::atoi(argv[2]) : 1;
    if (sizes.empty() || repetitions < 1) {
        if (rank == 0) std::fprintf(stderr, "usage: exchange_times SIZES [REPETITIONS]\n");
        MPI_Finalize();
        return 2;
    }
    bool all_right = true;
    for (const int bytes : sizes) {
        Outcome best = exchange(bytes, rank, ranks);  // warms up
        best.seconds = HUGE_VAL;
        for (int r = 0; r < repetitions; ++r) {
            const Outcome outcome = exchange(bytes, rank, ranks);
            best.seconds = std::min(best.seconds, outcome.seconds);
            best.right = best.right && outcome.right;
        }
        all_right = all_right && best.right;
        if (rank == 0) {
            std::printf("%d %.9f %s\n", bytes, best.seconds, best.right ? "right" : "WRONG");
            std::fflush(stdout);
        }
    }
    MPI_Finalize();
    return all_right ? 0 : 1;
}
