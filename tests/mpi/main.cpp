#include <gmock/gmock.h>
#include <mpi.h>
#include <unistd.h>

#include <csignal>

namespace {

int failed_anywhere = 0;

/// MPICH 4.0 over UCX does not always come back from MPI_Finalize.
[[maybe_unused]] void end_within(unsigned seconds) {
    std::signal(SIGALRM, [](int) { _exit(failed_anywhere); });
    alarm(seconds);
}

}  // namespace

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
    MPI_Allreduce(&failed_here, &failed_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
#ifdef ESPALIER_MPI_MPICH
    end_within(30);
#endif
    MPI_Finalize();
    return failed_anywhere;
}
