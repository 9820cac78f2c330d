#!/usr/bin/env bash
# What changes around a program while it runs: ranks have other settings, folders vanish, clocks jump,
# a rank stands still for ten seconds. It ends as it would natively, gets its bytes, and hears one
# line at most.
source "$(dirname "${BASH_SOURCE[0]}")/preloaded.bash"

# The first word says when rank 1 stops, after it has written its process to the file that the second
# names: in the `middle`, or at the `end`, before MPI_Finalize.
cat >"$work/program.c" <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
enum { calls = 120, most = 5000 };
static int values[most], sums[most];
static const char* happens = "";
static const char* file = "";
static void happen(const char* what, int rank) {
    if (strcmp(happens, what) != 0 || rank != 1) return;
    char beside[4096];
    snprintf(beside, sizeof beside, "%s.new", file);
    FILE* out = fopen(beside, "w");
    fprintf(out, "%d\n", (int)getpid());
    fclose(out);
    rename(beside, file);
    raise(SIGSTOP);
}
int main(int argc, char** argv) {
    int rank, size, wrong = 0, all = 0;
    if (argc > 1) happens = argv[1];
    if (argc > 2) file = argv[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int call = 0; call < calls; ++call) {
        const int count = call % 2 ? most : 10;
        const int root = call % 3;
        if (call == calls / 3) happen("middle", rank);
        for (int i = 0; i < count; ++i) values[i] = rank * 3 + i + call;
        MPI_Allreduce(values, sums, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < count; ++i)
            wrong += sums[i] != size * (i + call) + 3 * size * (size - 1) / 2;
        for (int i = 0; i < count; ++i) values[i] = rank == root ? 7 * i + call : -1;
        MPI_Bcast(values, count, MPI_INT, root, MPI_COMM_WORLD);
        for (int i = 0; i < count; ++i) wrong += values[i] != 7 * i + call;
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", all);
    fflush(stdout);
    happen("end", rank);
    MPI_Finalize();
    return 0;
}
C

# Preloaded before the library: clocks that jump, of MPI and of the day, by JUMPS seconds, to and fro
# each time that they were read EVERY times; and a rank 1 that stops in MPI_Init, at the first message
# that it expects, after it has written its process to the file STOPS.
cat >"$work/upsets.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static double ahead(void) {
    static atomic_long reads;
    const char* jumps = getenv("JUMPS");
    if (!jumps) return 0;
    return atomic_fetch_add(&reads, 1) / atol(getenv("EVERY")) % 2 ? atof(jumps) : 0;
}
double PMPI_Wtime(void) {
    static double (*own)(void);
    if (!own) *(void**)&own = dlsym(RTLD_NEXT, "PMPI_Wtime");
    return own() + ahead();
}
int clock_gettime(clockid_t clock, struct timespec* time) {
    static int (*own)(clockid_t, struct timespec*);
    if (!own) *(void**)&own = dlsym(RTLD_NEXT, "clock_gettime");
    const int code = own(clock, time);
    if (clock == CLOCK_REALTIME) time->tv_sec += (time_t)ahead();
    return code;
}
int PMPI_Irecv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request* request) {
    static int (*own)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    static int rank = -1;
    if (!own) *(void**)&own = dlsym(RTLD_NEXT, "PMPI_Irecv");
    if (rank < 0 && getenv("STOPS")) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 1) {
            FILE* out = fopen(getenv("STOPS"), "w");
            fprintf(out, "%d\n", (int)getpid());
            fclose(out);
            raise(SIGSTOP);
        }
    }
    return own(data, count, type, source, tag, comm, request);
}
C

# start VARIABLE=value... -- WORD...: as run(), with all that a start does.
start() {
    local variables=()
    while [[ $1 != -- ]]; do
        variables+=("$1")
        shift
    done
    status=0
    env ESPALIER_TEST_HOSTS=$hosts ESPALIER_CACHE="$(mktemp -d -p "$work")" ESPALIER_MEASURE_BUDGET=0.5s "${variables[@]}" \
        timeout 100 "${launcher[@]}" -n 4 env LD_PRELOAD="$upsets $library" "$program" "${@:2}" \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# Each rank has settings of its own; who leads a communicator decides.
differ() {
    local rank arguments setting one
    for setting in "PLAN=never PLAN=always PLAN=auto PLAN=always" "PLAN=always PLAN=never PLAN=never PLAN=auto" \
        "MEMORY=1 MEMORY=1GiB MEMORY=64KiB MEMORY=5" "MEMORY=1GiB MEMORY=1 MEMORY=64KiB MEMORY=5" \
        "REPORT=$work/a.json LOG=quiet REPORT=/nowhere/b.json REPRODUCIBLE=off" \
        "ALGORITHM=broadcast:ecef ALGORITHM=broadcast:native ALGORITHM=allreduce:native LOG=debug" \
        "MEASURE=off MEASURE=force MEASURE_BUDGET=9s CACHE=/dev/null" \
        "TEST_HOSTS=a-0 TEST_HOSTS=a-0,b-0 TEST_HOSTS=a-0,b-0,c-0 NETWORK=$network"; do
        arguments=()
        rank=0
        for one in $setting; do
            ((rank == 0)) || arguments+=(:)
            arguments+=(-n 1 env "LD_PRELOAD=$library")
            [[ $setting == *NETWORK=* ]] || arguments+=("ESPALIER_NETWORK=$network")
            arguments+=("ESPALIER_TEST_HOSTS=$hosts" "ESPALIER_MEASURE=off" "ESPALIER_$one" "$program")
            rank=$((rank + 1))
        done
        status=0
        timeout 100 "${launcher[@]}" "${arguments[@]}" >"$work/out" 2>"$work/err" </dev/null || status=$?
        expect "where ranks have $setting, the program gets its bytes" right
        [[ $setting == *LOG=debug* ]] || expect "and at most one line" at_most_one_line
    done
}

# The cache, the report's folder and the one that it runs in.
vanish() {
    local gone=$work/gone here=$PWD
    mkdir -p "$gone/report"
    wakes "$work/process" 0.1 rm -rf "$gone"
    cd "$gone" || exit 1
    start ESPALIER_CACHE="$gone/cache" ESPALIER_MEASURE_BUDGET=3s ESPALIER_REPORT=report/run.json -- middle "$work/process"
    cd "$here" || exit 1
    expect "where folders vanish, the program gets its bytes" right
    expect "one line names the report" says '^espalier: ESPALIER_REPORT: '
    expect "and only one" at_most_one_line
}

jump() { # SECONDS READS
    start JUMPS="$1" EVERY="$2" ESPALIER_REPORT="$work/run.json" ESPALIER_NETWORK="$network" --
    expect "where clocks jump by $1 s every $2 reads, the program gets its bytes" right
    expect "without a word" lines 0
    expect "and no time is less than none" without_negative_times
    start JUMPS="$1" EVERY="$2" --
    expect "where they do while the network is measured, too" gets
    expect "with at most one line" at_most_one_line
}
without_negative_times() { grep -q '"min"' "$work/run.json" && ! grep -Eq '": -|measured -' "$work/run.json"; }

# wakes FILE SECONDS COMMAND...: lets the process that FILE names go on, so long after it stopped.
wakes() {
    rm -f "$1"
    (
        while [[ ! -s $1 ]]; do sleep 0.05; done
        sleep "$2"
        "${@:3}"
        kill -CONT "$(cat "$1")"
    ) &
}

stand_still() { # WHERE VARIABLE=value...
    wakes "$work/process" 10 true
    start "${@:2}" -- "$1" "$work/process"
    expect "where a rank stands still ($*), the program gets its bytes" right
    expect "without a word" lines 0
}

stand_still_in_the_start() { # SECONDS LINES
    wakes "$work/process" "$1" true
    start STOPS="$work/process" --
    expect "where a rank stands still for $1 s in MPI_Init, the program gets its bytes" gets
    expect "and $2 lines" lines "$2"
}

upset() {
    local jobs=() job
    upsets=$work/upsets-$flavour.so
    "mpicc.$flavour" -O1 -fPIC -shared -o "$upsets" "$work/upsets.c" -ldl || exit 1
    # These wait for somebody who stands still: the others go on meanwhile.
    at_once stand_still middle
    at_once stand_still middle ESPALIER_NETWORK="$network" ESPALIER_PLAN=always
    at_once stand_still end ESPALIER_NETWORK="$network"
    at_once stand_still_in_the_start 5 0
    # Rank 0 gives it up, and it rank 0.
    at_once stand_still_in_the_start 12 2
    differ
    vanish
    jump 3600 200
    jump -3600 200
    jump -3600 7
    for job in "${jobs[@]}"; do
        wait "$job" || failures=$((failures + 1))
    done
}

with_each_mpi upset
