// A process that may start no thread: its nonblocking collectives are MPI's own, and nothing else.

#include "collective_checks.hpp"

#include <array>

namespace {

using espalier::test::ExpectPlanned;
using espalier::test::is_planned;
using espalier::test::rank_in;

TEST(NoThread, leaves_nonblocking_calls_to_mpi) {
    ASSERT_TRUE(is_planned(MPI_COMM_WORLD));
    EXPECT_FALSE(espalier::runtime::Process::current()->common().progresses);
    std::array<int, 3> numbers{rank_in(MPI_COMM_WORLD), 7, 8};
    MPI_Request request = MPI_REQUEST_NULL;
    ASSERT_EQ(MPI_Ibcast(numbers.data(), 3, MPI_INT, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(numbers[0], 0);
    const ExpectPlanned planned(MPI_COMM_WORLD);
    MPI_Bcast(numbers.data(), 3, MPI_INT, 0, MPI_COMM_WORLD);
}

}  // namespace
