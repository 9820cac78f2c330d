#ifndef ESPALIER_BENCH_PRELOAD_COLLECTIVES_HPP
#define ESPALIER_BENCH_PRELOAD_COLLECTIVES_HPP

// Calls of every collective, with what they work on.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace espalier::bench {

/// Buffers of as many blocks in and out as there are ranks. The root is whichever rank has its
/// turn.
struct Buffers {
    Buffers(int block_bytes, MPI_Comm on) : comm(on), bytes(block_bytes) {
        MPI_Comm_size(on, &ranks);
        const auto room = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(bytes);
        input.assign(room, 1);
        output.assign(room, 1);
        counts.assign(static_cast<std::size_t>(ranks), bytes);
        for (int rank = 0; rank < ranks; ++rank) displacements.push_back(rank * bytes);
    }
    MPI_Comm comm;
    int bytes;
    int ranks = 1;
    std::vector<unsigned char> input;
    std::vector<unsigned char> output;
    std::vector<int> counts;
    std::vector<int> displacements;
};
using Collective = void (*)(Buffers& on, int turn);

/// Through the preloaded library, and past it.
struct Both {
    const char* name;
    Collective through;
    Collective past;
};

/// Both variants of a call with these arguments; `b` are the buffers, `turn` the root.
#define BOTH(text, name, ...)                                                         \
    Both {                                                                            \
        text, [](Buffers& b, [[maybe_unused]] int turn) { MPI_##name(__VA_ARGS__); }, \
            [](Buffers& b, [[maybe_unused]] int turn) { PMPI_##name(__VA_ARGS__); }   \
    }
#define IN b.input.data()
#define OUT b.output.data()
#define COUNTS b.counts.data()
#define PLACES b.displacements.data()

inline const std::vector<Both> collectives{
    BOTH("broadcast", Bcast, IN, b.bytes, MPI_CHAR, turn, b.comm),
    BOTH("reduce", Reduce, IN, OUT, b.bytes, MPI_BYTE, MPI_BXOR, turn, b.comm),
    BOTH("allreduce", Allreduce, IN, OUT, b.bytes, MPI_BYTE, MPI_BXOR, b.comm),
    BOTH("scatter", Scatter, IN, b.bytes, MPI_CHAR, OUT, b.bytes, MPI_CHAR, turn, b.comm),
    BOTH("scatterv", Scatterv, IN, COUNTS, PLACES, MPI_CHAR, OUT, b.bytes, MPI_CHAR, turn, b.comm),
    BOTH("gather", Gather, IN, b.bytes, MPI_CHAR, OUT, b.bytes, MPI_CHAR, turn, b.comm),
    BOTH("gatherv", Gatherv, IN, b.bytes, MPI_CHAR, OUT, COUNTS, PLACES, MPI_CHAR, turn, b.comm),
    BOTH("allgather", Allgather, IN, b.bytes, MPI_CHAR, OUT, b.bytes, MPI_CHAR, b.comm),
    BOTH("allgatherv", Allgatherv, IN, b.bytes, MPI_CHAR, OUT, COUNTS, PLACES, MPI_CHAR, b.comm),
    BOTH("reduce-scatter", Reduce_scatter, IN, OUT, COUNTS, MPI_BYTE, MPI_BXOR, b.comm),
    BOTH("reduce-scatter-block", Reduce_scatter_block, IN, OUT, b.bytes, MPI_BYTE, MPI_BXOR,
         b.comm),
    BOTH("alltoall", Alltoall, IN, b.bytes, MPI_CHAR, OUT, b.bytes, MPI_CHAR, b.comm),
    BOTH("alltoallv", Alltoallv, IN, COUNTS, PLACES, MPI_CHAR, OUT, COUNTS, PLACES, MPI_CHAR,
         b.comm),
    BOTH("barrier", Barrier, b.comm),
    BOTH("scan", Scan, IN, OUT, b.bytes, MPI_BYTE, MPI_BXOR, b.comm),
    BOTH("exscan", Exscan, IN, OUT, b.bytes, MPI_BYTE, MPI_BXOR, b.comm),
};

#undef BOTH
#undef IN
#undef OUT
#undef COUNTS
#undef PLACES

/// Mean seconds of `batch` pairs of calls; the first and the last rank are root by turns, so that
/// each waits for the other.
inline double time_of(Collective collective, Buffers& buffers, int batch) {
    const double start = MPI_Wtime();
    for (int i = 0; i < batch; ++i) {
        collective(buffers, 0);
        collective(buffers, buffers.ranks - 1);
    }
    return (MPI_Wtime() - start) / (2 * batch);
}

}  // namespace espalier::bench

#endif
