#!/usr/bin/env bash
# Programs that start others: each world is planned by itself, what spans several is MPI's own, and all
# get their bytes. And programs that revoke a communicator while others are in a call on it.
source "$(dirname "${BASH_SOURCE[0]}")/preloaded.bash"

cat >"$work/spawn.c" <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void check_within(MPI_Comm comm) {
    int rank, size, value, sum = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int call = 0; call < 20; ++call) {
        value = rank == call % size ? 31 * call : -1;
        MPI_Bcast(&value, 1, MPI_INT, call % size, comm);
        wrong += value != 31 * call;
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
        wrong += sum != 31 * call * size;
    }
}

static void check_between(MPI_Comm between, int is_parent) {
    int rank, value = 17, sum = 0, others;
    MPI_Comm_rank(between, &rank);
    MPI_Comm_remote_size(between, &others);
    if (!is_parent) value = -1;
    MPI_Bcast(&value, 1, MPI_INT, is_parent ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, between);
    wrong += value != 17;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, between);
    wrong += sum != 17 * others;
    MPI_Barrier(between);
}

int main(int argc, char** argv) {
    MPI_Comm parent, between, merged, again;
    int all = 0, rank;
    MPI_Init(&argc, &argv);
    check_within(MPI_COMM_WORLD);
    MPI_Comm_get_parent(&parent);
    const int is_parent = parent == MPI_COMM_NULL;
    between = parent;
    if (is_parent)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                       MPI_ERRCODES_IGNORE);
    check_between(between, is_parent);
    MPI_Intercomm_merge(between, !is_parent, &merged);
    check_within(merged);
    check_within(MPI_COMM_WORLD);
    MPI_Comm_dup(merged, &again);
    check_within(again);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, merged);
    MPI_Comm_rank(merged, &rank);
    if (rank == 0) printf("%d wrong\n", all);
    fflush(stdout);
    MPI_Comm_free(&again);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&between);
    MPI_Finalize();
    return 0;
}
C

cat >"$work/program.c" <<'C'
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <unistd.h>
#ifdef MPIX_ERR_REVOKED
static int values[300000];
/* One rank revokes while the others are in a call that it does not make: each of them hears so. */
static int revoked_in(int count, int kind) {
    int rank, size, code = 0, class = 0;
    MPI_Comm comm, rest;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int call = 0; call < 5; ++call) MPI_Bcast(values, count, MPI_INT, 0, comm);
    if (rank == 1) {
        usleep(300000);
        MPIX_Comm_revoke(comm);
        class = MPIX_ERR_REVOKED;
    } else {
        if (kind == 0) code = MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT, MPI_MAX, comm);
        if (kind == 1) code = MPI_Bcast(values, count, MPI_INT, 1, comm);
        MPI_Error_class(code, &class);
    }
    MPIX_Comm_shrink(comm, &rest);
    int mine = 1, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, rest);
    MPI_Comm_free(&rest);
    MPI_Comm_free(&comm);
    return (class != MPIX_ERR_REVOKED) + (sum != size);
}
#endif
int main(int argc, char** argv) {
    int wrong = 0, all = 0, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef MPIX_ERR_REVOKED
    for (int kind = 0; kind < 2; ++kind)
        wrong += revoked_in(1, kind) + revoked_in(300000, kind);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", all);
#endif
    MPI_Finalize();
    return 0;
}
C

start_others() {
    local revoking=$program given=ESPALIER_NETWORK=$network report=$work/run.json
    program=$work/spawn_$flavour
    "mpicc.$flavour" -O1 -o "$program" "$work/spawn.c" || exit 1
    run ""
    if right; then
        # What is spawned has the launcher's environment.
        run "$library" -- "$given" ESPALIER_PLAN=always ESPALIER_REPORT="$report" LD_PRELOAD="$library"
        expect "a program that spawns another gets its bytes" right
        expect "without a word" lines 0
        expect "its own world is planned" grep -q '"predicted_s"' "$report"
        expect "what spans both is MPI's" grep -q 'started at different times' "$report"
    else
        echo "skipped: $flavour: spawning, which this version can't"
    fi

    program=$revoking
    [[ $flavour == openmpi ]] && launcher+=(--with-ft ulfm)
    run ""
    if right; then
        run "$library" -- "$given" ESPALIER_PLAN=always
        expect "a communicator that is revoked ends its calls" right
        expect "without a word" lines 0
    else
        echo "skipped: $flavour: revocations, which this version does not know"
    fi
}

with_each_mpi start_others
