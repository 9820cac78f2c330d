#include <gmock/gmock.h>
#include <mpi.h>

// Runs the tests on every rank; a failure on one of them fails them all, so that no launcher hides
// it behind another rank's success.
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    testing::InitGoogleMock(&argc, argv);

    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) {
        testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
        delete listeners.Release(listeners.default_result_printer());
    }

    const int failed_here = RUN_ALL_TESTS();
    int failed_anywhere = 0;
    MPI_Allreduce(&failed_here, &failed_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return failed_anywhere;
}
