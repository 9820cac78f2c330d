// MPI's old C++ bindings, which are inline functions that call C's.
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank();
    int number = rank == 1 ? 42 : 0;
    MPI::COMM_WORLD.Bcast(&number, 1, MPI::INT, 1);
    int sum = 0;
    MPI::COMM_WORLD.Allreduce(&number, &sum, 1, MPI::INT, MPI::SUM);
    const int wrong = (number != 42) + (sum != 42 * MPI::COMM_WORLD.Get_size());
    if (rank == 0 || wrong != 0) std::printf("%d wrong\n", wrong);
    MPI::Finalize();
}
