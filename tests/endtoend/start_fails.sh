#!/usr/bin/env bash
# What goes wrong while programs start: a rank without the library, or switched off; two hosts that
# can't reach each other; an MPI call that fails; no memory. Each costs a line and some seconds, and
# the program runs natively: it hangs nowhere, not in MPI_Finalize either, and gets its bytes.
source "$(dirname "${BASH_SOURCE[0]}")/preloaded.bash"

cat >"$work/program.c" <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
    int rank, size, wrong = 0, all = 0, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* What is left of a start that failed must not be taken for any of this. */
    for (int other = 1; rank == 0 && other < size; ++other) {
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
        wrong += value != status.MPI_SOURCE;
    }
    if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    for (int root = 0; root < size; ++root) {
        MPI_Request request;
        value = rank == root ? 17 * root : -1;
        MPI_Ibcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wrong += value != 17 * root;
    }
    MPI_Comm turned;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    for (int root = 0; root < size; ++root) {
        value = rank == root ? root : -1;
        MPI_Bcast(&value, 1, MPI_INT, size - 1 - root, turned);
        wrong += value != root;
    }
    MPI_Comm_free(&turned);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}
C

# Preloaded before the library: makes a rank's own MPI, or its memory, fail while it starts.
cat >"$work/faulty.cpp" <<'CPP'
// The variable FAULT says how:
//   blocked:A:B    what ranks A and B send each other gets lost
//   fail:R:N       the Nth message that rank R sends in MPI_Init is an error
//   memory:R:N     rank R's Nth allocation in MPI_Init fails, after MPI's own part, and the next
//   two
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

struct Fault {
    char kind[16] = {};
    long first = -1;
    long second = -1;
};

Fault read_fault() {
    Fault fault;
    const char* text = std::getenv("FAULT");
    if (text != nullptr)
        std::sscanf(text, "%15[^:]:%ld:%ld", fault.kind, &fault.first, &fault.second);
    return fault;
}

const Fault fault = read_fault();
bool is(const char* kind) { return std::strcmp(fault.kind, kind) == 0; }

int own_rank() {
    int rank = -1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

long sends = 0;
long allocations = 0;
bool starting = false;
bool counts_allocations = false;

}  // namespace

extern "C" int MPI_Init(int* argc, char*** argv) {
    static const auto next = reinterpret_cast<decltype(&MPI_Init)>(dlsym(RTLD_NEXT, "MPI_Init"));
    starting = true;
    const int code = next(argc, argv);
    starting = counts_allocations = false;
    return code;
}

extern "C" int PMPI_Irecv(void* data, int count, MPI_Datatype type, int source, int tag,
                          MPI_Comm comm, MPI_Request* request) {
    static const auto next =
        reinterpret_cast<decltype(&PMPI_Irecv)>(dlsym(RTLD_NEXT, "PMPI_Irecv"));
    counts_allocations = starting && is("memory") && own_rank() == fault.first;
    return next(data, count, type, source, tag, comm, request);
}

extern "C" int PMPI_Isend(const void* data, int count, MPI_Datatype type, int receiver, int tag,
                          MPI_Comm comm, MPI_Request* request) {
    static const auto next =
        reinterpret_cast<decltype(&PMPI_Isend)>(dlsym(RTLD_NEXT, "PMPI_Isend"));
    const int rank = own_rank();
    const bool between = (rank == fault.first && receiver == fault.second) ||
                         (rank == fault.second && receiver == fault.first);
    static char nothing = 0;
    if (is("blocked") && between)
        return PMPI_Irecv(&nothing, 1, MPI_BYTE, 0, 12345, MPI_COMM_SELF, request);
    if (is("fail") && starting && rank == fault.first && ++sends == fault.second)
        return MPI_ERR_OTHER;
    return next(data, count, type, receiver, tag, comm, request);
}

void* operator new(std::size_t bytes) {
    if (counts_allocations) {
        const long number = ++allocations;
        if (number == fault.second) throw std::bad_alloc();
    }
    void* memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
CPP

# start PART [: PART]...: a part is a number of ranks and VARIABLE=value...; LIBRARY is that preloaded.
start() {
    local arguments=() variables count
    while (($# > 0)); do
        count=$1
        shift
        variables=()
        while (($# > 0)) && [[ $1 != : ]]; do variables+=("$1"); shift; done
        ((${#arguments[@]} == 0)) || arguments+=(:)
        arguments+=(-n "$count" env "LD_PRELOAD=$faulty $library" "${variables[@]}" "$program")
        (($# == 0)) || shift
    done
    status=0
    env ESPALIER_TEST_HOSTS=a,b,c,d,e,f ESPALIER_CACHE="$(mktemp -d -p "$work")" \
        ESPALIER_MEASURE_BUDGET=0.5s timeout 60 "${launcher[@]}" "${arguments[@]}" \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# fails WHAT LINES PATTERN PART...: the program ends well, natively, with at most so many lines, one
# of which fits the pattern.
fails() {
    local what=$1 most=$2 pattern=$3
    shift 3
    start "$@"
    expect "$what: it gets its bytes" gets
    expect "$what: a line says so" says "^espalier: .*$pattern.*; collectives are left to MPI"
    expect "$what: $most at most" test "$(grep -c '^espalier: ' "$work/err")" -le "$most"
}

# These wait for somebody who does not come, so they do it at the same time.
wait_in_vain() {
    local without=LD_PRELOAD= jobs=()
    at_once fails "the last of two ranks has no library" 1 'no word from rank 1' 1 : 1 $without
    at_once fails "two of five ranks have no library" 1 'no word from rank 3 and 1 more' \
        3 : 2 $without
    at_once fails "rank 0 has no library" 1 'no word from rank 0' 1 $without : 3
    at_once fails "hosts can't reach each other" 1 'measuring the network: not done in' \
        4 FAULT=blocked:1:2
    at_once fails "nor can one reach rank 0" 2 'no word from rank 1' 3 FAULT=blocked:0:1
    local job
    for job in "${jobs[@]}"; do
        wait "$job" || failures=$((failures + 1))
    done
}

go_wrong() {
    faulty=$work/faulty-$flavour.so
    "mpicxx.$flavour" -O1 -fPIC -shared -o "$faulty" "$work/faulty.cpp" -ldl || exit 1

    fails "rank 0 is switched off" 1 'off on rank 0' 1 ESPALIER=off : 2
    fails "two of four ranks are" 1 'off on rank 2 and 1 more' 2 : 2 ESPALIER=off
    start 3 ESPALIER=off
    expect "where all are, it gets its bytes" gets
    expect "without a word" lines 0

    local rank nth
    for rank in 0 2; do
        for nth in 2 30; do
            start 3 FAULT=fail:$rank:$nth
            expect "message $nth of rank $rank fails: it gets its bytes" gets
            expect "and at most one line" at_most_one_line
        done
    done
    fails "an early message of rank 2 fails" 1 'rank 2 (c): an MPI call failed' 3 FAULT=fail:2:4
    for rank in 0 1; do
        fails "rank $rank has no memory" 1 'bad_alloc' 3 FAULT=memory:$rank:200
    done
    wait_in_vain
}

with_each_mpi go_wrong
