#include "libraries/library.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <vector>

namespace espalier::libraries {
namespace {

using schedule::Kind;
using schedule::Schedule;

std::uint64_t total_bytes(const Schedule& schedule) {
    std::uint64_t bytes = 0;
    for (const auto& transfer : schedule.transfers) bytes += schedule.bytes_of(transfer).value;
    return bytes;
}

/// Whose data may be at each rank in the end, if every message brings all that its sender has by
/// then: what it waits for is what was listed before with it as the receiver.
std::vector<std::set<std::size_t>> reached(const Schedule& schedule) {
    std::vector<std::set<std::size_t>> has(schedule.nodes.size());
    for (std::size_t rank = 0; rank < has.size(); ++rank) has[rank].insert(rank);
    std::vector<std::set<std::size_t>> sent;
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        const auto& transfer = schedule.transfers[t];
        std::set<std::size_t> data{transfer.from};
        const bool by_name = schedule.chunks[transfer.chunk].control;
        for (std::size_t before = 0; before < t; ++before) {
            const bool waits = by_name ? transfer.after && before <= *transfer.after
                                       : schedule.transfers[before].chunk == transfer.chunk;
            if (waits && schedule.transfers[before].to == transfer.from)
                data.insert(sent[before].begin(), sent[before].end());
        }
        has[transfer.to].insert(data.begin(), data.end());
        sent.push_back(data);
    }
    return has;
}

TEST(Pattern, brings_everyones_data_to_whom_it_is_for) {
    for (const Library* library : {&openmpi(), &mpich(), &gloo()})
        for (const Algorithm& algorithm : library->algorithms)
            for (const std::size_t ranks : {2U, 3U, 4U, 5U, 7U, 8U, 12U, 13U, 16U, 25U}) {
                const Schedule schedule =
                    algorithm.pattern({algorithm.kind, ranks, Bytes(1U << 16U)}, Bytes(0));
                const auto has = reached(schedule);
                const std::string what = std::string(library->name) + " " +
                                         std::string(name_of(algorithm.kind)) + " " +
                                         std::string(algorithm.name) + " " + std::to_string(ranks);
                for (std::size_t rank = 0; rank < ranks; ++rank) {
                    const bool reduces =
                        algorithm.kind == Kind::reduce || algorithm.kind == Kind::gather;
                    if (!schedule::has_root(algorithm.kind) || (rank == 0 && reduces)) {
                        EXPECT_EQ(has[rank].size(), ranks) << what << ", at " << rank;
                    }
                    if (!reduces) {
                        EXPECT_TRUE(has[rank].contains(0)) << what << ", at " << rank;
                    }
                }
            }
}

TEST(Pattern, sends_as_many_bytes_as_textbooks_say) {
    constexpr std::size_t p = 8;
    constexpr std::uint64_t m = 1U << 20U;
    const auto bytes = [](const Library& library, Kind kind, std::string_view name) {
        return total_bytes(named(library, kind, name).pattern({kind, p, Bytes(m)}, Bytes(0)));
    };
    // Thakur, Rabenseifner and Gropp (2005), section 3.
    EXPECT_EQ(bytes(openmpi(), Kind::broadcast, "binomial"), (p - 1) * m);
    EXPECT_EQ(bytes(openmpi(), Kind::broadcast, "knomial"), (p - 1) * m);
    EXPECT_EQ(bytes(mpich(), Kind::broadcast, "scatter_ring_allgather"),
              (p - 1) * m + 3 * (p / 2) * m / p);
    EXPECT_EQ(bytes(openmpi(), Kind::allreduce, "ring"), 2 * (p - 1) * m);
    EXPECT_EQ(bytes(openmpi(), Kind::allreduce, "recursive_doubling"), 3 * p * m);
    EXPECT_EQ(bytes(openmpi(), Kind::allreduce, "rabenseifner"), 2 * (p - 1) * m);
    EXPECT_EQ(bytes(mpich(), Kind::reduce, "reduce_scatter_gather"),
              (p - 1) * m + 3 * (p / 2) * m / p);
    EXPECT_EQ(bytes(mpich(), Kind::reduce_scatter, "recursive_halving"), (p - 1) * p * m);
    for (const auto* name : {"bruck", "recursive_doubling", "ring", "neighbor"})
        EXPECT_EQ(bytes(openmpi(), Kind::allgather, name), p * (p - 1) * m) << name;
    EXPECT_EQ(bytes(openmpi(), Kind::alltoall, "pairwise"), p * (p - 1) * m);
    EXPECT_EQ(bytes(openmpi(), Kind::alltoall, "modified_bruck"), 3 * p * (p / 2) * m);
}

TEST(Library, knows_its_usual_algorithms) {
    const auto usual = [](const Library& library, Kind kind, std::size_t ranks,
                          std::uint64_t bytes) {
        return std::string(library.usual({kind, ranks, Bytes(bytes)}).name);
    };
    EXPECT_EQ(usual(openmpi(), Kind::broadcast, 25, 1U << 20U), "scatter_allgather");
    EXPECT_EQ(usual(openmpi(), Kind::broadcast, 88, 8), "knomial");
    EXPECT_EQ(usual(openmpi(), Kind::allreduce, 25, 63), "segmented_ring");
    EXPECT_EQ(usual(openmpi(), Kind::allreduce, 25, 64), "recursive_doubling");
    EXPECT_EQ(usual(openmpi(), Kind::reduce_scatter, 16, 1U << 13U), "recursive_halving");
    EXPECT_EQ(usual(openmpi(), Kind::reduce_scatter, 16, 1U << 14U), "ring");
    EXPECT_EQ(usual(openmpi(), Kind::alltoall, 5000, 1U << 16U), "linear_sync");
    EXPECT_EQ(usual(mpich(), Kind::broadcast, 7, 1U << 20U), "binomial");
    EXPECT_EQ(usual(mpich(), Kind::broadcast, 8, 12289), "scatter_recursive_doubling_allgather");
    EXPECT_EQ(usual(mpich(), Kind::broadcast, 9, 12289), "scatter_ring_allgather");
    EXPECT_EQ(usual(mpich(), Kind::allreduce, 25, 1U << 20U), "reduce_scatter_allgather");
    EXPECT_EQ(usual(mpich(), Kind::allreduce, 25, 64), "recursive_doubling");
    EXPECT_EQ(usual(gloo(), Kind::allreduce, 25, 64), "ring");
    for (const Library* library : {&openmpi(), &mpich(), &gloo()})
        for (const Algorithm& algorithm : library->algorithms)
            for (std::size_t ranks = 2; ranks < 6000; ranks = ranks * 3 / 2 + 1)
                for (std::uint64_t size = 1; size < 1U << 26U; size *= 2)
                    EXPECT_EQ(library->usual({algorithm.kind, ranks, Bytes(size)}).kind,
                              algorithm.kind);
}

}  // namespace
}  // namespace espalier::libraries
