#pragma once

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Every collective that is planned, and some nonblocking ones, on MPI_COMM_WORLD or, between
/// neighbours, on grids of its ranks, with operands whose result is known.
namespace espalier::bench {

using Numbers = std::vector<double>;

/// This rank, the number of ranks, and the root.
struct Part {
    int rank = 0;
    int ranks = 1;
    int root = 0;
    /// Between a nonblocking call and its wait.
    double computing_s = 0;

    [[nodiscard]] bool is_root() const { return rank == root; }
};

/// A call as one rank makes it.
struct CheckedCall {
    std::function<void()> call;
    /// Forgets what earlier calls brought.
    std::function<void()> clear;
    /// Whether what the last call brought is right.
    std::function<bool()> is_right;
};

namespace checked {

/// Whole and small, so that sums are exact in any order.
inline double number(std::size_t index, int from) {
    return static_cast<double>((index * 7 + index / 61 + static_cast<std::size_t>(from)) % 1000);
}

/// The sum of the operands' element over the ranks [begin, end).
inline double sum(std::size_t index, int begin, int end) {
    double total = 0;
    for (int rank = begin; rank < end; ++rank) total += number(index, rank);
    return total;
}

inline std::size_t index_in(int block, int i) {
    return static_cast<std::size_t>(block) * 1009 + static_cast<std::size_t>(i);
}

/// Whether these are `count` numbers of `from`, of its block `block`.
inline bool are_numbers(const double* found, int count, int from, int block = 0) {
    for (int i = 0; i < count; ++i)
        if (found[i] != number(index_in(block, i), from)) return false;
    return true;
}

/// Whether all numbers are the right sums. If there are many, every 37th is looked at.
inline bool are_sums(const Numbers& found, std::size_t first, int begin, int end) {
    const std::size_t step = found.size() < 1024 ? 1 : 37;
    for (std::size_t i = 0; i < found.size(); i += step)
        if (found[i] != sum(first + i, begin, end)) return false;
    return true;
}

inline Numbers own_numbers(const Part& part, std::size_t count) {
    Numbers numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = number(i, part.rank);
    return numbers;
}

inline std::size_t all_blocks(const Part& part, int count) {
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(part.ranks);
}

/// Blocks for all ranks, one after the other.
inline Numbers own_blocks(const Part& part, int count) {
    Numbers numbers;
    numbers.reserve(all_blocks(part, count));
    for (int block = 0; block < part.ranks; ++block)
        for (int i = 0; i < count; ++i) numbers.push_back(number(index_in(block, i), part.rank));
    return numbers;
}

/// The block `block` of each rank, in their order.
inline bool are_blocks_of_all(const Part& part, const Numbers& found, int count, int block) {
    for (int from = 0; from < part.ranks; ++from)
        if (!are_numbers(found.data() + static_cast<std::ptrdiff_t>(from) * count, count, from,
                         block))
            return false;
    return true;
}

/// The buffers that a call reads and writes.
struct Operands {
    Numbers input;
    Numbers output;
};

/// A call that reads `input` and writes an output of `size` numbers.
template <typename Call, typename Right>
CheckedCall on_operands(Numbers input, std::size_t size, Call call, Right right) {
    const auto operands = std::make_shared<Operands>(Operands{std::move(input), Numbers(size)});
    return {[=] { call(operands->input.data(), operands->output.data()); },
            [=] { std::fill(operands->output.begin(), operands->output.end(), -1.0); },
            [=] { return right(operands->output); }};
}

/// A call on a message that the root has.
template <typename Call>
CheckedCall on_message(const Part& part, int count, Call call) {
    const auto size = static_cast<std::size_t>(count);
    const auto buffer =
        std::make_shared<Numbers>(part.is_root() ? own_numbers(part, size) : Numbers(size));
    return {[=] { call(buffer->data()); },
            [=] {
                if (!part.is_root()) std::fill(buffer->begin(), buffer->end(), -1.0);
            },
            [=] { return are_numbers(buffer->data(), count, part.root); }};
}

inline CheckedCall broadcast(const Part& part, int count) {
    return on_message(part, count, [=](double* data) {
        MPI_Bcast(data, count, MPI_DOUBLE, part.root, MPI_COMM_WORLD);
    });
}

/// Waits for the call after what the rank computes beside it. It sleeps instead, so that ranks of
/// one machine do not wait for its processors, and asks for the call now and then, as a program
/// between parts of its work.
inline void compute_and_wait(const Part& part, MPI_Request request) {
    constexpr useconds_t work_us = 500;
    if (part.computing_s > 0) {
        const double end = MPI_Wtime() + part.computing_s;
        for (int over = 0; MPI_Wtime() < end; usleep(work_us))
            MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

inline CheckedCall ibroadcast(const Part& part, int count) {
    return on_message(part, count, [=](double* data) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibcast(data, count, MPI_DOUBLE, part.root, MPI_COMM_WORLD, &request);
        compute_and_wait(part, request);
    });
}

inline CheckedCall reduce(const Part& part, int count) {
    const auto size = static_cast<std::size_t>(count);
    return on_operands(
        own_numbers(part, size), part.is_root() ? size : 0,
        [=](const double* in, double* out) {
            MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, part.root, MPI_COMM_WORLD);
        },
        [=](const Numbers& found) { return are_sums(found, 0, 0, part.ranks); });
}

/// A call that brings each rank the sum of all operands.
template <typename Call>
CheckedCall on_sums(const Part& part, int count, Call call) {
    const auto size = static_cast<std::size_t>(count);
    return on_operands(own_numbers(part, size), size, call,
                       [=](const Numbers& found) { return are_sums(found, 0, 0, part.ranks); });
}

inline CheckedCall allreduce(const Part& part, int count) {
    return on_sums(part, count, [=](const double* in, double* out) {
        MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    });
}

inline CheckedCall iallreduce(const Part& part, int count) {
    return on_sums(part, count, [=](const double* in, double* out) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        compute_and_wait(part, request);
    });
}

inline CheckedCall scan(const Part& part, int count) {
    const auto size = static_cast<std::size_t>(count);
    return on_operands(
        own_numbers(part, size), size,
        [=](const double* in, double* out) {
            MPI_Scan(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        },
        [=](const Numbers& found) { return are_sums(found, 0, 0, part.rank + 1); });
}

inline CheckedCall exscan(const Part& part, int count) {
    const auto size = static_cast<std::size_t>(count);
    return on_operands(
        own_numbers(part, size), size,
        [=](const double* in, double* out) {
            MPI_Exscan(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        },
        // The first rank's result is undefined.
        [=](const Numbers& found) { return part.rank == 0 || are_sums(found, 0, 0, part.rank); });
}

inline CheckedCall scatter(const Part& part, int count) {
    return on_operands(
        part.is_root() ? own_blocks(part, count) : Numbers(), static_cast<std::size_t>(count),
        [=](const double* in, double* out) {
            MPI_Scatter(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, part.root, MPI_COMM_WORLD);
        },
        [=](const Numbers& found) {
            return are_numbers(found.data(), count, part.root, part.rank);
        });
}

inline CheckedCall gather(const Part& part, int count) {
    return on_operands(
        own_numbers(part, static_cast<std::size_t>(count)),
        part.is_root() ? all_blocks(part, count) : 0,
        [=](const double* in, double* out) {
            MPI_Gather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, part.root, MPI_COMM_WORLD);
        },
        [=](const Numbers& found) {
            return !part.is_root() || are_blocks_of_all(part, found, count, 0);
        });
}

inline CheckedCall allgather(const Part& part, int count) {
    return on_operands(
        own_numbers(part, static_cast<std::size_t>(count)), all_blocks(part, count),
        [=](const double* in, double* out) {
            MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD);
        },
        [=](const Numbers& found) { return are_blocks_of_all(part, found, count, 0); });
}

inline CheckedCall alltoall(const Part& part, int count) {
    return on_operands(
        own_blocks(part, count), all_blocks(part, count),
        [=](const double* in, double* out) {
            MPI_Alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD);
        },
        [=](const Numbers& found) { return are_blocks_of_all(part, found, count, part.rank); });
}

inline CheckedCall reduce_scatter(const Part& part, int count) {
    const std::size_t first = static_cast<std::size_t>(part.rank) * static_cast<std::size_t>(count);
    return on_operands(
        own_numbers(part, all_blocks(part, count)), static_cast<std::size_t>(count),
        [=](const double* in, double* out) {
            MPI_Reduce_scatter_block(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        },
        [=](const Numbers& found) { return are_sums(found, first, 0, part.ranks); });
}

/// A grid of all ranks, as square as can be, and this rank's neighbours there.
struct Grid {
    Grid(int ranks, bool reordered) {
        int sides[] = {0, 0};
        const int wraps[] = {0, 0};
        MPI_Dims_create(ranks, 2, sides);
        MPI_Cart_create(MPI_COMM_WORLD, 2, sides, wraps, reordered ? 1 : 0, &comm);
        MPI_Comm_rank(comm, &rank);
        for (int side = 0; side < 2; ++side)
            MPI_Cart_shift(comm, side, 1, &neighbours[2 * side], &neighbours[2 * side + 1]);
    }

    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int neighbours[4] = {};
};

/// A block to and from each neighbour.
inline CheckedCall halo_on(const Grid& on, int count) {
    const Grid* grid = &on;
    constexpr int blocks = 4;
    const Part here{on.rank, blocks, 0};
    return on_operands(
        own_blocks(here, count), all_blocks(here, count),
        [=](const double* in, double* out) {
            MPI_Neighbor_alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, grid->comm);
        },
        [=](const Numbers& found) {
            for (int block = 0; block < blocks; ++block) {
                const int from = grid->neighbours[block];
                // What comes from before was sent behind.
                if (from != MPI_PROC_NULL && !are_numbers(found.data() + block * count, count, from,
                                                          block % 2 == 0 ? block + 1 : block - 1))
                    return false;
            }
            return true;
        });
}

/// On one communicator however often, as programs have it.
inline CheckedCall halo(const Part& part, int count) {
    static const Grid grid(part.ranks, false);
    return halo_on(grid, count);
}

/// Where MPI may number the grid's ranks as it likes.
inline CheckedCall reordered_halo(const Part& part, int count) {
    static const Grid grid(part.ranks, true);
    return halo_on(grid, count);
}

inline CheckedCall barrier(const Part&, int) {
    return {[] { MPI_Barrier(MPI_COMM_WORLD); }, [] {}, [] { return true; }};
}

}  // namespace checked

/// A collective of `count` numbers: the message, the vector, or one block.
using MakeCall = CheckedCall (*)(const Part&, int count);

inline const std::map<std::string, MakeCall> checked_collectives{
    {"broadcast", checked::broadcast},
    {"ibroadcast", checked::ibroadcast},
    {"reduce", checked::reduce},
    {"allreduce", checked::allreduce},
    {"iallreduce", checked::iallreduce},
    {"scan", checked::scan},
    {"exscan", checked::exscan},
    {"scatter", checked::scatter},
    {"gather", checked::gather},
    {"allgather", checked::allgather},
    {"alltoall", checked::alltoall},
    {"halo", checked::halo},
    {"reordered-halo", checked::reordered_halo},
    {"barrier", checked::barrier},
    {"reduce-scatter", checked::reduce_scatter}};

}  // namespace espalier::bench
