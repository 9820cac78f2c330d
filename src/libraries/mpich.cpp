#include "libraries/library.hpp"

#include <array>
#include <bit>

namespace espalier::libraries {

namespace {

using schedule::Kind;

constexpr std::array mpich_algorithms{
    Algorithm{Kind::broadcast, "binomial", 0, binomial_tree},
    Algorithm{Kind::broadcast, "scatter_recursive_doubling_allgather", 0, scatter_doubling},
    Algorithm{Kind::broadcast, "scatter_ring_allgather", 0, scatter_ring},
    Algorithm{Kind::reduce, "binomial", 0, binomial_tree},
    Algorithm{Kind::reduce, "reduce_scatter_gather", 0, halving_gather},
    Algorithm{Kind::allreduce, "recursive_doubling", 0, recursive_doubling},
    Algorithm{Kind::allreduce, "reduce_scatter_allgather", 0, halving_doubling},
    Algorithm{Kind::allgather, "brucks", 0, bruck},
    Algorithm{Kind::allgather, "recursive_doubling", 0, pairs_doubling},
    Algorithm{Kind::allgather, "ring", 0, ring},
    Algorithm{Kind::alltoall, "brucks", 0, bruck},
    Algorithm{Kind::alltoall, "scattered", 0, at_once},
    Algorithm{Kind::alltoall, "pairwise", 0, pairwise},
    Algorithm{Kind::gather, "binomial", 0, binomial_blocks},
    Algorithm{Kind::scatter, "binomial", 0, binomial_blocks},
    Algorithm{Kind::reduce_scatter, "recursive_halving", 0, far_halving},
    Algorithm{Kind::reduce_scatter, "pairwise", 0, pairwise},
};

/// Operands are numbers of so many bytes: what has fewer of them than ranks is not divided.
constexpr std::uint64_t element = 8;

std::string_view usual_name(const Call& call) {
    const std::uint64_t bytes = call.bytes.value;
    const std::uint64_t total = bytes * call.ranks;
    const bool even = std::has_single_bit(call.ranks);
    const bool few = call.ranks < 8;
    const bool divides = bytes / element >= std::bit_floor(call.ranks);
    switch (call.kind) {
        case Kind::broadcast:
            if (few || bytes <= 12288) return "binomial";
            return even && bytes <= 524288 ? "scatter_recursive_doubling_allgather"
                                           : "scatter_ring_allgather";
        case Kind::reduce:
            return bytes > 2048 && divides ? "reduce_scatter_gather" : "binomial";
        case Kind::allreduce:
            return bytes > 8 && divides ? "reduce_scatter_allgather" : "recursive_doubling";
        case Kind::allgather:
            if (even) return total < 524288 ? "recursive_doubling" : "ring";
            return total < 81920 ? "brucks" : "ring";
        case Kind::alltoall:
            if (!few && bytes <= 256) return "brucks";
            return bytes <= 32768 ? "scattered" : "pairwise";
        case Kind::reduce_scatter:
            return total < 524288 ? "recursive_halving" : "pairwise";
        default:
            return "binomial";
    }
}

const Algorithm& mpich_usual(const Call& call) {
    return named(mpich(), call.kind, usual_name(call));
}

}  // namespace

const Library& mpich() {
    static constexpr Library library{"mpich", "MPICH 4.0", mpich_algorithms, mpich_usual};
    return library;
}

}  // namespace espalier::libraries
