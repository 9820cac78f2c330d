/* The collectives of collectives.F90, with the same arguments; that one looks at what arrives. */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdlib.h>

#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define INITIALIZATION(name) MPIX_##name##_init
#else
#define INITIALIZATION(name) MPI_##name##_init
#endif

enum { n = 1000 };

static void last_of(void* in, void* inout, int* length, MPI_Datatype* type) {
    (void)in, (void)inout, (void)length, (void)type;
}

static int* filled(int count, int value) {
    int* numbers = malloc((size_t)count * sizeof(int));
    for (int i = 0; i < count; ++i) numbers[i] = value;
    return numbers;
}

static void to_and_from_a_root(int rank, int ranks, int root, int* x, int* y, int* counts,
                               int* displs) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype every_other, absolute;
    MPI_Aint address;
    const int length = n;
    MPI_Bcast(x, n, MPI_INT, root, comm);
    MPI_Bcast(x, n / 2, MPI_INT, root, comm);
    MPI_Type_vector(n / 2, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Bcast(x, 1, every_other, root, comm);
    MPI_Type_free(&every_other);
    MPI_Get_address(x, &address);
    MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    MPI_Bcast(MPI_BOTTOM, 1, absolute, root, comm);
    MPI_Type_free(&absolute);

    MPI_Reduce(x, y, n, MPI_INT, MPI_SUM, root, comm);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : x, rank == 0 ? x : y, n, MPI_INT, MPI_SUM, 0, comm);
    MPI_Scatter(x, n, MPI_INT, y, n, MPI_INT, root, comm);
    MPI_Scatter(x, n, MPI_INT, rank == root ? MPI_IN_PLACE : y, n, MPI_INT, root, comm);
    MPI_Scatterv(x, counts, displs, MPI_INT, y, rank + 1, MPI_INT, root, comm);
    MPI_Gather(x, n, MPI_INT, y, n, MPI_INT, root, comm);
    MPI_Gather(rank == root ? MPI_IN_PLACE : x, n, MPI_INT, y, n, MPI_INT, root, comm);
    MPI_Gatherv(x, rank + 1, MPI_INT, y, counts, displs, MPI_INT, root, comm);
    (void)ranks;
}

static void among_all(int rank, int ranks, int* x, int* y, int* counts, int* displs) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Op last;
    MPI_Allreduce(x, y, n, MPI_INT, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_INT, MPI_SUM, comm);
    MPI_Op_create(last_of, 0, &last);
    MPI_Allreduce(x, y, n, MPI_INT, last, comm);
    MPI_Op_free(&last);
    MPI_Allgather(x, n, MPI_INT, y, n, MPI_INT, comm);
    MPI_Allgather(MPI_IN_PLACE, n, MPI_INT, y, n, MPI_INT, comm);
    MPI_Allgatherv(x, rank + 1, MPI_INT, y, counts, displs, MPI_INT, comm);
    MPI_Reduce_scatter(x, y, counts, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(x, y, n, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, y, n, MPI_INT, MPI_SUM, comm);
    MPI_Alltoall(x, n, MPI_INT, y, n, MPI_INT, comm);
    MPI_Alltoall(MPI_IN_PLACE, n, MPI_INT, x, n, MPI_INT, comm);
    int* received = filled(ranks, rank + 1);
    int* places = filled(ranks, 0);
    for (int i = 0; i < ranks; ++i) places[i] = i * n;
    MPI_Alltoallv(x, counts, displs, MPI_INT, y, received, places, MPI_INT, comm);
    free(received);
    free(places);
    MPI_Barrier(comm);
    MPI_Scan(x, y, n, MPI_INT, MPI_SUM, comm);
    MPI_Exscan(MPI_IN_PLACE, x, n, MPI_INT, MPI_SUM, comm);
}

static void others(int ranks, int root, int* x, int* y) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request;
    MPI_Ibcast(x, n, MPI_INT, root, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int* ones = filled(ranks, 1);
    int* places = filled(ranks, 0);
    MPI_Datatype* types = malloc((size_t)ranks * sizeof *types);
    for (int i = 0; i < ranks; ++i) {
        places[i] = 4 * i;
        types[i] = MPI_INT;
    }
    MPI_Alltoallw(x, ones, places, types, y, ones, places, types, comm);
    free(ones);
    free(places);
    free(types);
}

static void neighbours(int ranks, int* x, int* y) {
    MPI_Comm ring;
    const int periodic = 1;
    const int counts[] = {n - 1, n - 1};
    const int displs[] = {0, n};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
    MPI_Neighbor_allgather(x, 1, MPI_INT, y, 1, MPI_INT, ring);
    MPI_Neighbor_allgatherv(x, n - 1, MPI_INT, y, counts, displs, MPI_INT, ring);
    MPI_Neighbor_alltoall(x, n, MPI_INT, y, n, MPI_INT, ring);
    MPI_Neighbor_alltoallv(x, counts, displs, MPI_INT, y, counts, displs, MPI_INT, ring);
    MPI_Request request;
    MPI_Ineighbor_alltoall(x, n, MPI_INT, y, n, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
    const int sides[] = {1, 1, ranks};
    const int wraps[] = {0, 0, 1};
    const MPI_Aint places[] = {0, 0, 0, 0, 0, sizeof(int) * n};
    MPI_Datatype types[6];
    int six[6];
    for (int i = 0; i < 6; ++i) {
        types[i] = MPI_INT;
        six[i] = n - 1;
    }
    MPI_Cart_create(MPI_COMM_WORLD, 3, sides, wraps, 0, &ring);
    MPI_Neighbor_alltoallw(x, six, places, types, y, six, places, types, ring);
    MPI_Comm_free(&ring);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 1, &ring);
    MPI_Neighbor_allgather(x, 1, MPI_INT, y, 1, MPI_INT, ring);
    MPI_Comm_free(&ring);
}

static void again_and_again(int root, int* x) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    INITIALIZATION(Bcast)(x, n, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    INITIALIZATION(Barrier)(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 2; ++round) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, statuses);
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

int main(int argc, char** argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int root = ranks - 1;
    int* x = filled(n * ranks, rank);
    int* y = filled(n * ranks, -1);
    int* counts = filled(ranks, 0);
    int* displs = filled(ranks, 0);
    for (int i = 0; i < ranks; ++i) {
        counts[i] = i + 1;
        displs[i] = i * (i + 1) / 2 + i;
    }
    to_and_from_a_root(rank, ranks, root, x, y, counts, displs);
    among_all(rank, ranks, x, y, counts, displs);
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
    MPI_Bcast(x, n, MPI_INT, 0, part);
    MPI_Comm_free(&part);
    others(ranks, root, x, y);
    again_and_again(root, x);
    neighbours(ranks, x, y);

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Bcast(x, -1, MPI_INT, root, MPI_COMM_WORLD);
    int wrong = 0, total = 0;
    MPI_Reduce(&wrong, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    free(x);
    free(y);
    free(counts);
    free(displs);
    MPI_Finalize();
    return 0;
}
