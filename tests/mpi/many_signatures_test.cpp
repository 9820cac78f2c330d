// A program whose roots and sizes go round: planning that calls don't pay back ends, on all ranks
// at the same call, and calls bring what they should by plans or without.

#include "collective_checks.hpp"

#include <cstdint>
#include <vector>

namespace {

using espalier::test::is_planned;
using espalier::test::rank_in;
using espalier::test::size_of;
using espalier::test::state_of;

constexpr int sizes = 80;

/// Eight to a doubling, as sizes are told apart.
int bytes_of(int size) { return (8 + size % 8) << (size / 8); }

char letter(int call, int place) { return static_cast<char>(call * 7 + place); }

/// Returns the number of calls.
int go_round(MPI_Comm comm, int first_call) {
    int call = first_call;
    for (int size = 0; size < sizes; ++size)
        for (int root = 0; root < size_of(comm); ++root, ++call) {
            std::vector<char> data(static_cast<std::size_t>(bytes_of(size)));
            std::vector<char> expected(data.size());
            for (std::size_t k = 0; k < data.size(); ++k)
                expected[k] = letter(call, static_cast<int>(k));
            if (rank_in(comm) == root) data = expected;
            MPI_Bcast(data.data(), bytes_of(size), MPI_CHAR, root, comm);
            EXPECT_EQ(data, expected) << "call " << call;
        }
    return call;
}

/// Collective. The value, which all ranks are to have.
std::uint64_t same_everywhere(std::uint64_t value, MPI_Comm comm) {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    PMPI_Allreduce(&value, &least, 1, MPI_UINT64_T, MPI_MIN, comm);
    PMPI_Allreduce(&value, &most, 1, MPI_UINT64_T, MPI_MAX, comm);
    EXPECT_EQ(least, most);
    return most;
}

TEST(ManySignatures, are_not_planned_for_longer_than_that_gains) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (is_planned(comm)) {
        // The hosts are one machine: no plan gains what planning takes.
        int calls = go_round(comm, 0);
        const std::uint64_t first = same_everywhere(state_of(comm).plans().deals(), comm);
        EXPECT_GT(first, 0U);
        EXPECT_LT(first, static_cast<std::uint64_t>(calls) / 2);
        for (int lap = 0; lap < 5; ++lap) calls = go_round(comm, calls);
        const std::uint64_t all = same_everywhere(state_of(comm).plans().deals(), comm);
        EXPECT_LT(all, static_cast<std::uint64_t>(calls) / 2);
    }
    MPI_Comm_free(&comm);
}

}  // namespace
