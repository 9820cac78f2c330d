/* Usage: devices LIBRARY early|late. Loads a GPU's run time, by rank 1 alone, before the first
   collective or after it. Then rank 1's buffers are in memory that is closed to everybody but MPI's
   messages from a process to itself, as a GPU's memory would be. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { bytes = 1 << 16 };

static char* device;
static int opened;

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

static void load(const char* library) {
    void (*own_range)(const void*, size_t);
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) MPI_Abort(MPI_COMM_WORLD, 1);
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

int main(int argc, char** argv) {
    int rank, ranks, wrong = 0, total = 0, number = 7;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int late = argc > 2 && strcmp(argv[2], "late") == 0;
    if (rank == 1 && !late) load(argv[1]);
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 1 && late) load(argv[1]);

    char* host = malloc(bytes);
    char* buffer = rank == 1 && late ? device : host;
    for (int root = 0; root < 2; ++root) {
        memset(host, rank == root ? 'a' + root : 0, bytes);
        if (buffer == device && device) move(device, host, bytes);
        MPI_Bcast(buffer, bytes, MPI_CHAR, root, MPI_COMM_WORLD);
        if (buffer == device && device) move(host, device, bytes);
        for (int i = 0; i < bytes; ++i) wrong += host[i] != 'a' + root;
    }
    MPI_Reduce(&wrong, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", total);
    if (rank == 1 && late) printf("staged: %s\n", opened > 0 ? "yes" : "no");
    free(host);
    MPI_Finalize();
    return 0;
}
