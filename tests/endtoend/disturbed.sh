#!/usr/bin/env bash
# What a machine does to a program: settings that are not the same on all ranks, folders that vanish
# while it runs, clocks that jump, a rank that is stopped for ten seconds. It ends as it would natively,
# with the right bytes.
source "$(dirname "${BASH_SOURCE[0]}")/preloaded.bash"

# Usage: program SECONDS [WORD]: `settings` makes them differ between ranks; `vanish` removes the folder that
# the program runs in, and GONE, in the middle; `stop` stops rank 2 for ten seconds, AFTER milliseconds.
cat >"$work/program.c" <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
enum { count = 3000 };
static int values[8 * count], sums[8 * count];

static void differ(int rank) {
    const char* of_plan[] = {"auto", "always", "never", "nonsense"};
    const char* of_algorithm[] = {"", "broadcast:ecef", "broadcast:native,allreduce:native", "x:y"};
    const char* of_memory[] = {"64MiB", "1KiB", "1GiB", "-1"};
    setenv("ESPALIER_PLAN", of_plan[rank % 4], 1);
    setenv("ESPALIER_ALGORITHM", of_algorithm[rank % 4], 1);
    setenv("ESPALIER_MEMORY", of_memory[rank % 4], 1);
    setenv("ESPALIER_REPRODUCIBLE", rank % 2 ? "off" : "on", 1);
    setenv("ESPALIER_LOG", rank == 1 ? "quiet" : "info", 1);
    setenv("ESPALIER_MEASURE", rank == 2 ? "force" : "off", 1);
    if (rank == 3) setenv("ESPALIER_REPORT", "-", 1);
    if (rank == 3) setenv("ESPALIER_NETWORK", "-", 1);
}

static void stop_later(int milliseconds) {
    const pid_t parent = getpid();
    if (fork() != 0) return;
    usleep(1000 * (unsigned)milliseconds);
    kill(parent, SIGSTOP);
    sleep(10);
    kill(parent, SIGCONT);
    _exit(0);
}

/* At least ten rounds, for as long as rank 0 says. */
static int rounds_on(MPI_Comm comm, double seconds) {
    int rank, size, wrong = 0, goes_on = 1;
    struct timespec began, now;
    clock_gettime(CLOCK_MONOTONIC, &began);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int round = 0; goes_on; ++round) {
        const int n = round % 2 ? count : 10, root = round % size;
        for (int i = 0; i < n; ++i) values[i] = rank * 3 + i + round;
        MPI_Allreduce(values, sums, n, MPI_INT, MPI_SUM, comm);
        for (int i = 0; i < n; ++i)
            wrong += sums[i] != size * (i + round) + 3 * size * (size - 1) / 2;
        for (int i = 0; i < n; ++i) values[i] = rank == root ? 7 * i + round : -1;
        MPI_Bcast(values, n, MPI_INT, root, comm);
        for (int i = 0; i < n; ++i) wrong += values[i] != 7 * i + round;
        for (int i = 0; i < n * size; ++i) values[i] = rank * 1000 + i / n;
        MPI_Alltoall(values, n, MPI_INT, sums, n, MPI_INT, comm);
        for (int i = 0; i < n * size; ++i) wrong += sums[i] != i / n * 1000 + rank;
        double of_all = 0, own = 0.5 * rank;
        MPI_Allreduce(&own, &of_all, 1, MPI_DOUBLE, MPI_SUM, comm);
        wrong += of_all != 0.25 * size * (size - 1);
        clock_gettime(CLOCK_MONOTONIC, &now);
        goes_on = round < 10 || (double)(now.tv_sec - began.tv_sec) +
                                        1e-9 * (double)(now.tv_nsec - began.tv_nsec) < seconds;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, comm);
    }
    return wrong;
}

int main(int argc, char** argv) {
    const double seconds = atof(argv[1]);
    const char *word = argc > 2 ? argv[2] : "", *launched = getenv("OMPI_COMM_WORLD_RANK");
    int rank = atoi(launched ? launched : getenv("PMI_RANK")), wrong, all = 0;
    if (!strcmp(word, "settings")) differ(rank);
    if (!strcmp(word, "stop") && rank == 2) stop_later(atoi(getenv("AFTER")));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wrong = rounds_on(MPI_COMM_WORLD, seconds / 2);
    if (!strcmp(word, "vanish") && rank == 0) {
        char command[1000];
        snprintf(command, sizeof command, "rm -rf '%s' \"$PWD\"", getenv("GONE"));
        wrong += system(command) != 0;
    }
    /* The last rank leads. */
    MPI_Comm turned;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    wrong += rounds_on(turned, seconds / 2);
    MPI_Comm_free(&turned);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}
C

# Preloaded before the library: the clocks of rank R are S seconds late or early from the Nth look on, by
# JUMP=R:N:S, and back again 50 looks later.
cat >"$work/jumping.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static double jumped(void) {
    static long looks, rank = -2, first, seconds;
    if (rank == -2) {
        const char* own = getenv("OMPI_COMM_WORLD_RANK");
        rank = -1;
        if (!own) own = getenv("PMI_RANK");
        if (own && getenv("JUMP")) sscanf(getenv("JUMP"), "%ld:%ld:%ld", &rank, &first, &seconds);
        if (!own || rank != atol(own)) rank = -1;
    }
    if (rank < 0) return 0;
    ++looks;
    return looks >= first && looks < first + 50 ? seconds : 0;
}
double PMPI_Wtime(void) {
    static double (*next)(void);
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Wtime");
    return next() + jumped();
}
C

jumps() { # SECONDS RANK VARIABLE=value...
    run "$work/jumping_$flavour.so $library" 0.5 -- JUMP="$2:100:$1" "${@:3}"
    expect "where the clock of rank $2 jumps by $1 s ($3) it ends well" right
    expect "and says one line at most" at_most_one_line
}

clocks_jump() {
    local rank seconds
    "mpicc.$flavour" -O1 -shared -fPIC -o "$work/jumping_$flavour.so" "$work/jumping.c" -ldl || exit 1
    for rank in 0 2; do
        for seconds in -4000 4000; do
            jumps $seconds $rank ESPALIER_NETWORK=$network
        done
        jumps -4000 $rank ESPALIER_MEASURE=force ESPALIER_MEASURE_BUDGET=0.5s ESPALIER_CACHE="$work/cache"
    done
}

settings_differ() {
    run "$library" 0 settings -- ESPALIER_NETWORK=$network
    expect "with settings that differ between ranks it ends well" right
    expect "what rank 0 has is not complained about" lines 0
}

folders_vanish() {
    mkdir -p "$work/own" "$work/gone"
    (
        failures=0
        network=$PWD/$network library=$(realpath "$library")
        cd "$work/own" || exit 1
        run "$library" 0 vanish -- ESPALIER_NETWORK="$network" GONE="$work/gone" ESPALIER_CACHE="$work/gone" \
            ESPALIER_REPORT="$work/gone/run.json"
        expect "where its folders vanish it ends well" right
        expect "with one line" lines 1
        expect "of the report" says '^espalier: ESPALIER_REPORT: .*gone/run.json'
        exit "$failures"
    ) || failures=$((failures + 1))
}

ranks_stop() {
    run "$library" 4 stop -- ESPALIER_NETWORK=$network AFTER=2000
    expect "with a rank that is stopped for ten seconds it ends well" right
    expect "without a word" lines 0
    run "$library" 0 stop -- ESPALIER_MEASURE=force ESPALIER_CACHE="$work/cache" AFTER=150
    expect "where it is stopped while it starts it ends well, too" right
    expect "and says one line at most" at_most_one_line
}

disturb() {
    settings_differ
    folders_vanish
    clocks_jump
    ranks_stop
}

with_each_mpi disturb
