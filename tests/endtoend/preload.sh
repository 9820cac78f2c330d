#!/usr/bin/env bash
# An unmodified MPI program with the library preloaded: the same bytes, planned or not; what the
# library does not know is left to MPI with one line; and it shows a program nothing but MPI calls.
source "$(dirname "${BASH_SOURCE[0]}")/preloaded.bash"

cat >"$work/program.c" <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, size, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* So many that ranks have told each other what calls take. */
    char again[3000];
    for (int call = 0; call < 20; ++call) {
        for (int i = 0; i < 3000; ++i) again[i] = rank == 0 ? (char)(i * 3 + call) : 0;
        MPI_Bcast(again, 3000, MPI_CHAR, 0, MPI_COMM_WORLD);
        for (int i = 0; i < 3000; ++i) wrong += again[i] != (char)(i * 3 + call);
    }
    for (int bytes = 1; bytes < 500000; bytes = 3 * bytes + 1)
        for (int root = 0; root < size; ++root) {
            char* data = calloc((size_t)bytes, 1);
            for (int i = 0; rank == root && i < bytes; ++i) data[i] = (char)(i * 7 + root);
            MPI_Bcast(data, bytes, MPI_CHAR, root, MPI_COMM_WORLD);
            for (int i = 0; i < bytes; ++i) wrong += data[i] != (char)(i * 7 + root);
            free(data);
        }
    int all;
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}
C

preload() {
    local report=$work/run.json given=ESPALIER_NETWORK=$network shown

    run "$library" -- "$given" ESPALIER_REPORT="$report"
    expect "a planned program gets its bytes" right
    expect "and hears nothing" lines 0
    expect "the report tells what was planned" grep -q '"predicted_s"' "$report"
    expect "what its calls took" grep -q '"choice": ".* measured ' "$report"
    expect "and that of all calls" test "$(grep -c '"calls": [0-9]' "$report")" -ge 40

    run "$library" -- "$given" ESPALIER_LOG=debug ESPALIER_ALGORITHM=broadcast:ecef@4KiB
    expect "an algorithm can be named" right
    expect "and is used" says 'broadcast of .*: ecef'

    local one_cluster=ESPALIER_TEST_HOSTS=b-0,b-1,b-2,b-0
    run "$library" -- "$given" $one_cluster ESPALIER_REPORT="$report"
    expect "one cluster is left to MPI" grep -q '"all ranks in one cluster"' "$report"
    run "$library" -- "$given" $one_cluster ESPALIER_REPORT="$report" ESPALIER_PLAN=always
    expect "unless it is always to be planned" grep -q '"predicted_s"' "$report"
    expect "with the right bytes" right

    run "$library" -- "$given" ESPALIER_TEST_HOSTS=a-0,nowhere,c-0,elsewhere
    expect "a program with unknown hosts gets its bytes" right
    expect "and one line" lines 1
    expect "that names the first host" says "no node for host 'nowhere' and 1 more"

    run "$library" -- ESPALIER_NETWORK="$work/none.json" ESPALIER_PLAN=perhaps ESPALIER_LOG=info
    expect "a program without its network gets its bytes" right
    expect "and one line for each thing that is wrong" lines 2

    echo '{"format":"espalier-network"' >"$work/broken.json"
    run "$library" -- ESPALIER_NETWORK="$work/broken.json" ESPALIER_LOG=quiet
    expect "a broken network file does no harm" right
    expect "and quiet is quiet" lines 0

    run "$library" -- ESPALIER=off "$given" ESPALIER_LOG=debug
    expect "it can be switched off" right
    expect "and then does nothing" lines 0

    shown=$(nm -D --defined-only "$library" | awk '{print $3}' |
        grep -cvE '^(MPIX?_|mpix?_|ompix?_[a-z_]+_f$|espalier_)')
    expect "the library shows MPI calls only" test "$shown" -eq 0
}

with_each_mpi preload
