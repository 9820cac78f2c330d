#pragma once

#include <gmock/gmock.h>
#include <mpi.h>

#include <functional>

// What every test under MPI asks.

namespace espalier::test {

inline int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

inline int size_of(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    return size;
}

/// The class of what a call returned.
inline int class_of(int code) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    return error_class;
}

/// A receive of the program's own, for whatever comes from whomever, gets nothing of the
/// collectives that are performed meanwhile. Collective.
inline void expect_own_receive_untouched_by(const std::function<void()>& collectives) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int size = size_of(MPI_COMM_WORLD);
    int received = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    collectives();
    const int sent = 1000 + rank;
    MPI_Send(&sent, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
    MPI_Status status;
    MPI_Wait(&request, &status);
    EXPECT_EQ(received, 1000 + (rank + size - 1) % size);
    EXPECT_EQ(status.MPI_TAG, 5);
}

}  // namespace espalier::test
