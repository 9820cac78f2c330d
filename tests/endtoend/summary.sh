#!/usr/bin/env bash
# What is said of a run when it ends: once, in a few lines, in files where a folder is named; and a
# program whose end is a bad one, or that nobody listens to, ends as it would without.
source "$(dirname "${BASH_SOURCE[0]}")/preloaded.bash"
cli=$build/espalier

cat >"$work/program.c" <<'C'
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
    const char* end = argc > 1 ? argv[1] : "";
    int rank, wrong = 0, all, ends[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char data[3000];
    for (int call = 0; call < 60; ++call) {
        for (int i = 0; i < 3000; ++i) data[i] = rank == 0 ? (char)(i * 3 + call) : 0;
        MPI_Bcast(data, 3000, MPI_CHAR, 0, MPI_COMM_WORLD);
        for (int i = 0; i < 3000; ++i) wrong += data[i] != (char)(i * 3 + call);
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", all);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(end, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(end, "deaf") == 0) close(2);
    if (strcmp(end, "broken") == 0 || strcmp(end, "full") == 0) {
        if (pipe(ends) != 0) return 1;
        dup2(ends[1], 2);
        if (strcmp(end, "broken") == 0) close(ends[0]);
        fcntl(2, F_SETFL, O_NONBLOCK);
        while (strcmp(end, "full") == 0 && write(2, data, sizeof data) > 0) {}
        while (strcmp(end, "full") == 0 && write(2, data, 1) > 0) {}
        fcntl(2, F_SETFL, 0);
        close(ends[1]);
    }
    MPI_Finalize();
    return 0;
}
C

said() { grep -A20 '^espalier: ' "$work/err"; }
ten_lines() { [[ $(said | wc -l) -le 10 && $(said | wc -l) -ge 5 ]]; }
narrow() { said | python3 -c 'import sys; sys.exit(max(len(line) for line in sys.stdin) > 81)'; }
as_natively() { [[ $status == "$natively" ]]; }

summary() {
    local given=ESPALIER_NETWORK=$network name natively started took
    name=$(basename "$program")

    run "$library" -- "$given" ESPALIER_REPORT=summary
    expect "a program gets its bytes" right
    expect "one rank says what it gained" lines 1
    expect "and names the program" says "^espalier: $name, 4 ranks, $flavour: .* in collectives, "
    expect "in ten lines" ten_lines
    expect "of 80 columns" narrow
    expect "how much, and how that is known" grep -Eq '^  (saved|lost): about .*(predicted|timed|timing)' "$work/err"
    expect "which calls matter" says '^  broadcast 3 kB, 4 ranks *60 '
    expect "what to do next" says '^  advice: '

    run "$library" -- "$given" ESPALIER_REPORT=summary ESPALIER_TEST_HOSTS=a-0,a-0,a-0,a-0 ESPALIER_MEASURE=auto
    expect "what is left to MPI alone is said" says '^  left to MPI: all collectives: '
    run "$library" -- "$given" ESPALIER_REPORT=summary ESPALIER_LOG=quiet
    expect "quiet is quiet" lines 0
    run "$library" -- "$given" ESPALIER_REPORT=off
    expect "off is off" lines 0

    run "$library" -- "$given" ESPALIER_REPORT="$work/reports/" SLURM_JOB_ID=4711
    expect "a folder is made" right
    expect "and where to look is said" says "^espalier: wrote $work/reports/$name.4711.[0-9]*.txt$"
    expect "files are for people" grep -q "^$name, 4 ranks, $flavour" "$work/reports/$name".4711.*.txt
    expect "and for programs" python3 -c 'import json, sys; json.load(open(sys.argv[1]))["calls"]' \
        "$work/reports/$name".4711.*.json

    for end in abort deaf broken full; do
        run "" "$end"
        natively=$status
        started=$SECONDS
        run "$library" "$end" -- "$given" ESPALIER_REPORT=summary
        took=$((SECONDS - started))
        expect "the end of a program is the same ($end)" as_natively
        expect "its output, too ($end)" grep -qx '0 wrong' "$work/out"
        expect "and it comes in time ($end)" test $took -lt 30
        expect "without a word of ours ($end)" lines 0
    done

    env ESPALIER_TEST_HOSTS=$hosts "$given" timeout 100 "$cli" run -n 4 -- "$program" \
        >"$work/out" 2>"$work/err" </dev/null
    expect "espalier run says it unasked" lines 1
    expect "in ten lines, too" ten_lines
    env ESPALIER_TEST_HOSTS=$hosts "$given" ESPALIER_REPORT=off timeout 100 "$cli" run -n 4 -- "$program" \
        >"$work/out" 2>"$work/err" </dev/null
    expect "unless it is told not to" lines 0
}

with_each_mpi summary
