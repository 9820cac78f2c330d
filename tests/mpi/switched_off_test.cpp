#include "runtime/communicator.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

namespace espalier::runtime {
namespace {

TEST(SwitchedOff, is_known_from_the_first_call_on_without_a_look_at_the_communicator) {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    int value = 1;
    EXPECT_EQ(MPI_Bcast(&value, 1, MPI_INT, 0, other), MPI_SUCCESS);
    for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF, other})
        EXPECT_TRUE(Communicator::is_known_native(comm));
    MPI_Comm_free(&other);
}

}  // namespace
}  // namespace espalier::runtime
