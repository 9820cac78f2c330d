#include "libraries/library.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace espalier::libraries {

namespace {

using schedule::Kind;

constexpr bool segments = true;
constexpr bool roughly = true;

/// With the numbers that `ompi_info --param coll tuned` lists. Left out is what repeats another
/// one, or is only for two ranks.
constexpr std::array openmpi_algorithms{
    Algorithm{Kind::broadcast, "basic_linear", 1, straight_at_once},
    Algorithm{Kind::broadcast, "chain", 2, chain, false, roughly},
    Algorithm{Kind::broadcast, "pipeline", 3, chain, segments},
    Algorithm{Kind::broadcast, "split_binary_tree", 4, binary_tree, false, roughly},
    Algorithm{Kind::broadcast, "binary_tree", 5, binary_tree, segments},
    Algorithm{Kind::broadcast, "binomial", 6, strided_binomial_tree, segments},
    Algorithm{Kind::broadcast, "knomial", 7, four_nomial_tree, segments},
    Algorithm{Kind::broadcast, "scatter_allgather", 8, scatter_doubling},
    Algorithm{Kind::broadcast, "scatter_allgather_ring", 9, scatter_ring},
    Algorithm{Kind::reduce, "linear", 1, star},
    Algorithm{Kind::reduce, "chain", 2, two_chains, false, roughly},
    Algorithm{Kind::reduce, "pipeline", 3, chain, segments},
    Algorithm{Kind::reduce, "binary", 4, binary_tree, segments},
    Algorithm{Kind::reduce, "binomial", 5, binomial_tree, segments},
    Algorithm{Kind::reduce, "in-order_binary", 6, binary_tree, false, roughly},
    Algorithm{Kind::reduce, "rabenseifner", 7, halving_gather},
    Algorithm{Kind::allreduce, "basic_linear", 1, star_and_back},
    Algorithm{Kind::allreduce, "nonoverlapping", 2, binomial_and_back, false, roughly},
    Algorithm{Kind::allreduce, "recursive_doubling", 3, recursive_doubling},
    Algorithm{Kind::allreduce, "ring", 4, ring},
    Algorithm{Kind::allreduce, "segmented_ring", 5, ring, false, roughly},
    Algorithm{Kind::allreduce, "rabenseifner", 6, halving_doubling},
    Algorithm{Kind::allgather, "bruck", 2, bruck},
    Algorithm{Kind::allgather, "recursive_doubling", 3, pairs_doubling},
    Algorithm{Kind::allgather, "ring", 4, ring},
    Algorithm{Kind::allgather, "neighbor", 5, neighbour_exchange},
    Algorithm{Kind::alltoall, "linear", 1, at_once},
    Algorithm{Kind::alltoall, "pairwise", 2, pairwise},
    Algorithm{Kind::alltoall, "modified_bruck", 3, bruck},
    Algorithm{Kind::alltoall, "linear_sync", 4, at_once, false, roughly},
    Algorithm{Kind::gather, "basic_linear", 1, straight_at_once},
    Algorithm{Kind::gather, "binomial", 2, binomial_blocks},
    Algorithm{Kind::gather, "linear_sync", 3, straight, false, roughly},
    Algorithm{Kind::scatter, "basic_linear", 1, straight},
    Algorithm{Kind::scatter, "binomial", 2, binomial_blocks},
    Algorithm{Kind::scatter, "linear_nb", 3, straight_at_once},
    Algorithm{Kind::reduce_scatter, "non-overlapping", 1, reduce_and_scatter, false, roughly},
    Algorithm{Kind::reduce_scatter, "recursive_halving", 2, far_halving},
    Algorithm{Kind::reduce_scatter, "ring", 3, ring},
    Algorithm{Kind::reduce_scatter, "butterfly", 4, far_halving, false, roughly},
};

/// From so many bytes on, up to the next step, the algorithm of this number.
struct Step {
    std::uint64_t bytes;
    int number;
};
/// For at least so many ranks, up to the next row.
struct Row {
    std::size_t ranks;
    std::vector<Step> steps;
};
using Decisions = std::vector<Row>;

/// What it decides by the bytes of an operand, of a block, or, of a reduce-scatter, of all blocks;
/// for operators that commute.
const Decisions& decisions_on(Kind kind) {
    static const Decisions broadcast{
        {0,
         {{0, 3},
          {32, 5},
          {256, 3},
          {512, 7},
          {1024, 1},
          {32768, 5},
          {131072, 2},
          {262144, 1},
          {524288, 6},
          {1048576, 5}}},
        {4, {{0, 5}, {64, 6}, {128, 5}, {2048, 6}, {8192, 1}, {1048576, 2}}},
        {8, {{0, 7}, {8, 5}, {64, 7}, {4096, 5}, {16384, 6}, {32768, 1}}},
        {16, {{0, 7}, {4096, 6}, {1048576, 8}}},
        {32, {{0, 6}, {2048, 7}}},
        {64, {{0, 7}}},
        {128, {{0, 6}, {2, 5}, {16384, 1}, {32768, 5}, {65536, 7}}},
        {256, {{0, 7}, {16384, 4}, {32768, 7}}},
        {1024, {{0, 7}, {524288, 8}}},
        {2048, {{0, 7}, {262144, 8}}},
        {4096, {{0, 7}, {8192, 5}, {16384, 7}, {262144, 8}}}};
    static const Decisions reduce{
        {0, {{0, 7}, {8, 4}, {16, 3}, {32, 1}, {262144, 3}, {524288, 2}, {1048576, 3}}},
        {4, {{0, 4}, {4096, 2}, {65536, 5}, {262144, 1}, {524288, 5}, {1048576, 1}}},
        {8, {{0, 4}, {8192, 5}}},
        {16, {{0, 4}, {4096, 5}}},
        {32, {{0, 5}}},
        {256, {{0, 5}, {8192, 6}, {16384, 5}}},
        {512, {{0, 5}}},
        {2048, {{0, 5}, {512, 6}, {1024, 5}, {8192, 6}, {16384, 5}}},
        {4096, {{0, 5}, {16, 6}, {32, 5}, {1024, 6}, {2048, 5}, {8192, 6}, {16384, 5}}}};
    static const Decisions allreduce{
        {0, {{0, 4}, {8, 3}, {4096, 4}, {8192, 3}, {16384, 4}, {65536, 5}, {262144, 6}}},
        {4, {{0, 4}, {16, 3}, {8192, 6}}},
        {8, {{0, 3}, {8192, 6}}},
        {16, {{0, 5}, {64, 3}, {4096, 6}}},
        {32, {{0, 5}, {128, 6}}},
        {64, {{0, 3}, {262144, 6}}},
        {128, {{0, 2}, {131072, 3}, {262144, 6}}},
        {256, {{0, 2}, {4096, 6}}},
        {512, {{0, 2}, {2048, 3}, {16384, 6}}},
        {2048, {{0, 2}, {2048, 5}, {4096, 3}, {16384, 6}}},
        {4096, {{0, 2}, {2048, 5}, {16384, 3}, {32768, 6}}}};
    static const Decisions allgather{
        {0, {{0, 3}}},
        {32, {{0, 3}, {1024, 5}, {65536, 4}}},
        {64, {{0, 3}, {512, 5}, {65536, 4}}},
        {128, {{0, 3}, {512, 5}, {131072, 4}, {524288, 5}, {1048576, 4}}},
        {256, {{0, 3}, {32, 2}, {128, 3}, {1024, 5}, {131072, 4}, {524288, 5}, {1048576, 4}}},
        {512, {{0, 3}, {64, 2}, {256, 3}, {2048, 5}}},
        {1024, {{0, 3}, {4, 2}, {8, 3}, {16, 2}, {32, 3}, {256, 2}, {512, 3}, {4096, 5}}},
        {2048, {{0, 2}, {32, 3}, {128, 2}, {512, 3}, {4096, 5}}},
        {4096, {{0, 3}, {2, 2}, {8, 3}, {16, 2}, {512, 3}, {4096, 5}}}};
    // Where only two ranks would have an algorithm of their own, they exchange in pairs.
    static const Decisions alltoall{
        {0, {{0, 2}, {32768, 4}, {262144, 2}}},
        {3, {{0, 4}, {8192, 1}, {16384, 4}, {65536, 1}, {524288, 2}, {1048576, 1}}},
        {8, {{0, 4}, {262144, 1}}},
        {16, {{0, 4}, {4, 3}, {512, 4}, {8192, 1}, {32768, 4}, {262144, 1}, {524288, 4}}},
        {32, {{0, 3}, {512, 1}, {524288, 4}}},
        {64, {{0, 3}, {1024, 1}, {2048, 4}, {4096, 1}, {262144, 2}}},
        {128, {{0, 3}, {1024, 4}, {2048, 1}, {262144, 2}}},
        {256, {{0, 3}, {1024, 4}, {8192, 1}, {32768, 2}}},
        {512, {{0, 3}, {512, 4}, {8192, 1}, {16384, 4}, {131072, 1}, {262144, 2}}},
        {1024, {{0, 3}, {512, 4}, {1024, 1}, {2048, 4}, {16384, 1}, {262144, 4}}},
        {2048, {{0, 3}, {1024, 4}, {4096, 1}, {8192, 4}, {131072, 1}}},
        {4096, {{0, 3}, {2048, 4}, {8192, 1}, {16384, 4}, {32768, 1}, {65536, 4}}}};
    static const Decisions gather{
        {0, {{0, 3}, {2, 1}, {4, 2}, {32768, 1}, {65536, 2}, {131072, 3}}},
        {4, {{0, 2}, {1024, 1}, {8192, 2}, {32768, 1}, {262144, 3}}},
        {8, {{0, 2}}},
        {256, {{0, 2}, {2048, 1}, {8192, 2}}},
        {512, {{0, 2}}}};
    static const Decisions scatter{
        {0, {{0, 3}, {2, 1}, {131072, 3}, {262144, 1}}},
        {4, {{0, 2}, {2048, 1}, {4096, 2}, {8192, 1}, {32768, 3}, {1048576, 1}}},
        {8, {{0, 2}, {16384, 3}, {1048576, 1}}},
        {16, {{0, 2}, {16384, 1}, {32768, 3}}},
        {32, {{0, 2}, {512, 3}, {8192, 2}, {16384, 3}}},
        {64, {{0, 2}, {512, 3}}}};
    static const Decisions reduce_scatter{
        {0, {{0, 3}, {65536, 4}, {131072, 3}}},
        {4, {{0, 1}, {8, 2}, {262144, 3}}},
        {8, {{0, 2}, {262144, 3}}},
        {32, {{0, 1}, {64, 2}, {2048, 4}, {524288, 3}}},
        {64, {{0, 1}, {256, 2}, {512, 4}, {2048, 2}, {4096, 4}}},
        {128, {{0, 1}, {256, 2}, {512, 4}}},
        {256, {{0, 1}, {256, 2}, {1024, 4}}},
        {512, {{0, 1}, {512, 2}, {2048, 4}, {8192, 2}, {16384, 4}}},
        {1024, {{0, 1}, {512, 2}, {4096, 4}, {16384, 2}, {32768, 4}}},
        {2048, {{0, 1}, {512, 2}, {4096, 4}}},
        {4096, {{0, 1}, {1024, 2}, {8192, 4}}}};
    switch (kind) {
        case Kind::broadcast:
            return broadcast;
        case Kind::reduce:
            return reduce;
        case Kind::allreduce:
            return allreduce;
        case Kind::allgather:
            return allgather;
        case Kind::alltoall:
            return alltoall;
        case Kind::gather:
            return gather;
        case Kind::scatter:
            return scatter;
        default:
            return reduce_scatter;
    }
}

const Algorithm& openmpi_usual(const Call& call) {
    const std::uint64_t bytes =
        call.kind == Kind::reduce_scatter ? call.bytes.value * call.ranks : call.bytes.value;
    const Decisions& decisions = decisions_on(call.kind);
    const auto row = std::prev(std::ranges::upper_bound(decisions, call.ranks, {}, &Row::ranks));
    const auto step = std::prev(std::ranges::upper_bound(row->steps, bytes, {}, &Step::bytes));
    return *std::ranges::find_if(openmpi_algorithms, [&](const Algorithm& one) {
        return one.kind == call.kind && one.number == step->number;
    });
}

}  // namespace

const Library& openmpi() {
    static constexpr Library library{"openmpi", "Open MPI 4.1, 5.0", openmpi_algorithms,
                                     openmpi_usual};
    return library;
}

}  // namespace espalier::libraries
