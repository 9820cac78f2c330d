/* Usage: devices LIBRARY early|late|idle. Loads a GPU's run time, by rank 1 alone, before the first
   collective or after it, or before it without using it. Else rank 1's buffers are in memory that
   is closed to everybody but MPI's messages from a process to itself, as a GPU's memory would be.
   At the end broadcasts of rank 1 fail there while their messages are on their way: one that
   blocks, and one that does not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { bytes = 1 << 18 };

static char* device;
static int opened;
static int fails;
static int polls_fail;

/* What an MPI library that knows GPUs does. */
int PMPI_Sendrecv(const void* in, int in_count, MPI_Datatype in_type, int to, int in_tag, void* out,
                  int out_count, MPI_Datatype out_type, int from, int out_tag, MPI_Comm comm,
                  MPI_Status* status) {
    int (*own)(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int,
               MPI_Comm, MPI_Status*);
    *(void**)&own = dlsym(RTLD_NEXT, "PMPI_Sendrecv");
    if (device) mprotect(device, bytes, PROT_READ | PROT_WRITE);
    const int code = own(in, in_count, in_type, to, in_tag, out, out_count, out_type, from, out_tag,
                         comm, status);
    if (device) mprotect(device, bytes, PROT_NONE);
    ++opened;
    return code;
}

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
    int (*own)(MPI_Request*, MPI_Status*);
    if (fails) return MPI_ERR_OTHER;
    *(void**)&own = dlsym(RTLD_NEXT, "PMPI_Wait");
    return own(request, status);
}

int PMPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
    int (*own)(int, MPI_Request*, int*, MPI_Status*);
    *index = MPI_UNDEFINED;
    if (fails) return MPI_ERR_OTHER;
    *(void**)&own = dlsym(RTLD_NEXT, "PMPI_Waitany");
    return own(count, requests, index, status);
}

int PMPI_Testany(int count, MPI_Request* requests, int* index, int* done, MPI_Status* status) {
    int (*own)(int, MPI_Request*, int*, int*, MPI_Status*);
    *index = MPI_UNDEFINED;
    if (polls_fail) return MPI_ERR_OTHER;
    *(void**)&own = dlsym(RTLD_NEXT, "PMPI_Testany");
    return own(count, requests, index, done, status);
}

static void load(const char* library, int uses) {
    void (*own_range)(const void*, size_t);
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) MPI_Abort(MPI_COMM_WORLD, 1);
    if (!uses) return;
    *(void**)&own_range = dlsym(handle, "fake_cuda_own");
    device = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    own_range(device, bytes);
}

/* To and from the device by hand. */
static void move(void* to, const void* from, size_t size) {
    mprotect(device, bytes, PROT_READ | PROT_WRITE);
    memcpy(to, from, size);
    mprotect(device, bytes, PROT_NONE);
}

/* A broadcast of rank 1 that fails there, which a flag makes calls of MPI do, before rank 0 comes
   to it. Rank 0 has its bytes all the same: they are still sent from where they were. Returns what
   is wrong. */
static int failing_broadcast(MPI_Comm pair, char* buffer, char* host, int* flag, int blocks) {
    int rank, code, wrong;
    MPI_Request request;
    MPI_Comm_rank(pair, &rank);
    memset(host, rank == 1 ? 'z' : 0, bytes);
    if (rank == 1) move(device, host, bytes);
    if (rank == 0) PMPI_Barrier(pair);
    *flag = rank == 1;
    if (blocks) {
        code = MPI_Bcast(buffer, bytes, MPI_CHAR, 1, pair);
    } else {
        MPI_Ibcast(buffer, bytes, MPI_CHAR, 1, pair, &request);
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    wrong = (code != MPI_SUCCESS) != *flag;
    *flag = 0;
    if (rank == 1) PMPI_Barrier(pair);
    for (int i = 0; i < bytes && rank == 0; ++i) wrong += host[i] != 'z';
    PMPI_Barrier(pair);
    return wrong;
}

int main(int argc, char** argv) {
    int rank, ranks, wrong = 0, total = 0, number = 7;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int late = argc > 2 && strcmp(argv[2], "late") == 0;
    if (rank == 1 && !late) load(argv[1], strcmp(argv[2], "idle") != 0);
    MPI_Comm pair;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
    if (pair != MPI_COMM_NULL) MPI_Bcast(&number, 1, MPI_INT, 0, pair);
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 1 && late) load(argv[1], 1);

    char* host = malloc(bytes);
    char* buffer = rank == 1 && late ? device : host;
    for (int root = 0; root < 2; ++root) {
        memset(host, rank == root ? 'a' + root : 0, bytes);
        if (buffer == device && device) move(device, host, bytes);
        MPI_Bcast(buffer, bytes, MPI_CHAR, root, MPI_COMM_WORLD);
        if (buffer == device && device) move(host, device, bytes);
        for (int i = 0; i < bytes; ++i) wrong += host[i] != 'a' + root;
    }
    if (pair != MPI_COMM_NULL && late) {
        MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
        /* It hears of what a program waits for. */
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Bcast(buffer, bytes, MPI_CHAR, 1, pair); /* is planned, for which ranks wait */
        wrong += failing_broadcast(pair, buffer, host, &fails, 1);
        /* Ranks prepare for those that do not block in a blocking one after the first of them. */
        MPI_Request first;
        MPI_Ibcast(&number, 1, MPI_INT, 0, pair, &first);
        MPI_Bcast(&number, 1, MPI_INT, 0, pair);
        MPI_Wait(&first, MPI_STATUS_IGNORE);
        wrong += failing_broadcast(pair, buffer, host, &polls_fail, 0);
    }
    MPI_Reduce(&wrong, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", total);
    if (rank == 1 && late) printf("staged: %s\n", opened > 0 ? "yes" : "no");
    free(host);
    MPI_Finalize();
    return 0;
}
