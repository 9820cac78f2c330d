// How long a collective takes, warm: the time from a common start until the last rank is done.
//
//     collective_times COLLECTIVE SIZES [ROOT] [WARM_UPS] [REPETITIONS]
//
// COLLECTIVE is one of the names in the table below. SIZES in bytes of one rank's operand (the
// message, the vector, one block), multiples of 8, separated by commas; 0 for a barrier. One line
// for each: bytes, seconds (the least of the repetitions), and whether every rank got the right
// numbers.

#include "warm_times.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace warm_times;
using Numbers = std::vector<double>;

struct Job {
    int rank = 0;
    int ranks = 1;
    int root = 0;

    [[nodiscard]] bool is_root() const { return rank == root; }
};

/// Whole and small, so that sums are exact in any order.
double number(std::size_t index, int from) {
    return static_cast<double>((index * 7 + index / 61 + static_cast<std::size_t>(from)) % 1000);
}

/// Over ranks [begin, end).
double sum(std::size_t index, int begin, int end) {
    double total = 0;
    for (int rank = begin; rank < end; ++rank) total += number(index, rank);
    return total;
}

/// `count` numbers of `from`; those of a block `block` follow the blocks before it.
void expect(bool& right, const double* found, int count, int from, int block = 0) {
    for (int i = 0; i < count; ++i)
        right &= found[i] ==
                 number(static_cast<std::size_t>(block) * 1009 + static_cast<std::size_t>(i), from);
}

void expect_sum(bool& right, const Numbers& found, std::size_t first, int begin, int end) {
    // Every number is looked at where there are few, else every 37th.
    const std::size_t step = found.size() < 1024 ? 1 : 37;
    for (std::size_t i = 0; i < found.size(); i += step)
        right &= found[i] == sum(first + i, begin, end);
}

Numbers own_numbers(const Job& job, std::size_t count) {
    Numbers numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = number(i, job.rank);
    return numbers;
}

/// Blocks for all ranks, one after the other.
Numbers own_blocks(const Job& job, int count) {
    Numbers numbers;
    numbers.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(job.ranks));
    for (int block = 0; block < job.ranks; ++block)
        for (int i = 0; i < count; ++i)
            numbers.push_back(number(
                static_cast<std::size_t>(block) * 1009 + static_cast<std::size_t>(i), job.rank));
    return numbers;
}

std::size_t all_blocks(const Job& job, int count) {
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(job.ranks);
}

Outcome timed(const std::function<void()>& call, const std::function<bool()>& is_right) {
    const double start = common_start();
    call();
    const double elapsed = MPI_Wtime() - start;
    return of_all_ranks(elapsed, is_right());
}

Outcome broadcast(const Job& job, int count) {
    Numbers buffer(static_cast<std::size_t>(count));
    if (job.is_root()) buffer = own_numbers(job, buffer.size());
    return timed([&] { MPI_Bcast(buffer.data(), count, MPI_DOUBLE, job.root, MPI_COMM_WORLD); },
                 [&] {
                     bool right = true;
                     expect(right, buffer.data(), count, job.root);
                     return right;
                 });
}

Outcome reduce(const Job& job, int count) {
    const Numbers input = own_numbers(job, static_cast<std::size_t>(count));
    Numbers output(input.size());
    return timed(
        [&] {
            MPI_Reduce(input.data(), output.data(), count, MPI_DOUBLE, MPI_SUM, job.root,
                       MPI_COMM_WORLD);
        },
        [&] {
            bool right = true;
            if (job.is_root()) expect_sum(right, output, 0, 0, job.ranks);
            return right;
        });
}

Outcome allreduce(const Job& job, int count) {
    const Numbers input = own_numbers(job, static_cast<std::size_t>(count));
    Numbers output(input.size());
    return timed(
        [&] {
            MPI_Allreduce(input.data(), output.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        },
        [&] {
            bool right = true;
            expect_sum(right, output, 0, 0, job.ranks);
            return right;
        });
}

Outcome scan(const Job& job, int count) {
    const Numbers input = own_numbers(job, static_cast<std::size_t>(count));
    Numbers output(input.size());
    return timed(
        [&] { MPI_Scan(input.data(), output.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
        [&] {
            bool right = true;
            expect_sum(right, output, 0, 0, job.rank + 1);
            return right;
        });
}

Outcome exscan(const Job& job, int count) {
    const Numbers input = own_numbers(job, static_cast<std::size_t>(count));
    Numbers output(input.size());
    return timed(
        [&] {
            MPI_Exscan(input.data(), output.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        },
        [&] {
            bool right = true;
            if (job.rank > 0) expect_sum(right, output, 0, 0, job.rank);
            return right;
        });
}

Outcome scatter(const Job& job, int count) {
    const Numbers input = job.is_root() ? own_blocks(job, count) : Numbers();
    Numbers output(static_cast<std::size_t>(count));
    return timed(
        [&] {
            MPI_Scatter(input.data(), count, MPI_DOUBLE, output.data(), count, MPI_DOUBLE, job.root,
                        MPI_COMM_WORLD);
        },
        [&] {
            bool right = true;
            expect(right, output.data(), count, job.root, job.rank);
            return right;
        });
}

bool are_first_blocks(const Job& job, const Numbers& found, int count, int block) {
    bool right = true;
    for (int from = 0; from < job.ranks; ++from)
        expect(right, found.data() + static_cast<std::ptrdiff_t>(from) * count, count, from, block);
    return right;
}

Outcome gather(const Job& job, int count) {
    const Numbers input = own_numbers(job, static_cast<std::size_t>(count));
    Numbers output(job.is_root() ? all_blocks(job, count) : 0);
    return timed(
        [&] {
            MPI_Gather(input.data(), count, MPI_DOUBLE, output.data(), count, MPI_DOUBLE, job.root,
                       MPI_COMM_WORLD);
        },
        [&] { return !job.is_root() || are_first_blocks(job, output, count, 0); });
}

Outcome allgather(const Job& job, int count) {
    const Numbers input = own_numbers(job, static_cast<std::size_t>(count));
    Numbers output(all_blocks(job, count));
    return timed(
        [&] {
            MPI_Allgather(input.data(), count, MPI_DOUBLE, output.data(), count, MPI_DOUBLE,
                          MPI_COMM_WORLD);
        },
        [&] { return are_first_blocks(job, output, count, 0); });
}

Outcome alltoall(const Job& job, int count) {
    const Numbers input = own_blocks(job, count);
    Numbers output(all_blocks(job, count));
    return timed(
        [&] {
            MPI_Alltoall(input.data(), count, MPI_DOUBLE, output.data(), count, MPI_DOUBLE,
                         MPI_COMM_WORLD);
        },
        [&] { return are_first_blocks(job, output, count, job.rank); });
}

Outcome reduce_scatter(const Job& job, int count) {
    const Numbers input = own_numbers(job, all_blocks(job, count));
    Numbers output(static_cast<std::size_t>(count));
    return timed(
        [&] {
            MPI_Reduce_scatter_block(input.data(), output.data(), count, MPI_DOUBLE, MPI_SUM,
                                     MPI_COMM_WORLD);
        },
        [&] {
            bool right = true;
            const auto first = static_cast<std::size_t>(job.rank) * static_cast<std::size_t>(count);
            expect_sum(right, output, first, 0, job.ranks);
            return right;
        });
}

Outcome barrier(const Job&, int) {
    return timed([] { MPI_Barrier(MPI_COMM_WORLD); }, [] { return true; });
}

using Collective = Outcome (*)(const Job&, int);

const std::map<std::string, Collective> collectives{{"broadcast", broadcast},
                                                    {"reduce", reduce},
                                                    {"allreduce", allreduce},
                                                    {"scan", scan},
                                                    {"exscan", exscan},
                                                    {"scatter", scatter},
                                                    {"gather", gather},
                                                    {"allgather", allgather},
                                                    {"alltoall", alltoall},
                                                    {"barrier", barrier},
                                                    {"reduce-scatter", reduce_scatter}};

/// Of the calls after those that warm up; 0: none is wrong.
int time_all(const Job& job, Collective collective, const std::vector<int>& sizes, int warm_ups,
             int repetitions) {
    bool all_right = true;
    for (const int bytes : sizes) {
        const int count = bytes / static_cast<int>(sizeof(double));
        for (int call = 1; call < warm_ups; ++call) (void)collective(job, count);
        const Outcome best = best_of(repetitions, [&] { return collective(job, count); });
        all_right = all_right && best.right;
        if (job.rank == 0) {
            std::printf("%d %.9f %s\n", bytes, best.seconds, best.right ? "right" : "WRONG");
            std::fflush(stdout);
        }
    }
    return all_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Job job;
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    const auto found = collectives.find(argc > 1 ? argv[1] : "");
    const auto sizes = argc > 2 ? parse_list(argv[2]) : std::vector<int>();
    job.root = argc > 3 ? std::atoi(argv[3]) : 0;
    const int warm_ups = argc > 4 ? std::atoi(argv[4]) : 1;
    const int repetitions = argc > 5 ? std::atoi(argv[5]) : 1;
    int status = 2;
    if (found == collectives.end() || sizes.empty() || job.root >= job.ranks || repetitions < 1) {
        if (job.rank == 0)
            std::fprintf(stderr,
                         "usage: collective_times COLLECTIVE SIZES [ROOT] [WARM_UPS] "
                         "[REPETITIONS]\n");
    } else {
        status = time_all(job, found->second, sizes, warm_ups, repetitions);
    }
    MPI_Finalize();
    return status;
}
