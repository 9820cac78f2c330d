#!/usr/bin/env bash
# What goes wrong around a program: a rank is killed in the middle of a collective, a report can't be
# written, the network's file changes while jobs start. Nothing hangs, and the program gets its bytes.
source "$(dirname "${BASH_SOURCE[0]}")/preloaded.bash"

changer=
end() {
    if [[ -n $changer ]]; then kill "$changer" 2>/dev/null; fi
    rm -rf "$work"
}
trap end EXIT

# With a second argument, that rank kills itself in the middle: the others are in an all-reduce, or
# in a broadcast of which it has the bytes to pass on.
cat >"$work/program.c" <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int values[20000], sums[20000];
int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 3;
    const int victim = argc > 2 ? atoi(argv[2]) : -1;
    int rank, size, wrong = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < 20000; ++i) values[i] = rank * 3 + i + round;
        if (round == rounds / 2 && rank == victim) raise(SIGKILL);
        MPI_Allreduce(values, sums, 20000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < 20000; ++i)
            wrong += sums[i] != size * (i + round) + 3 * size * (size - 1) / 2;
        const int root = round % size;
        for (int i = 0; i < 20000; ++i) values[i] = rank == root ? 7 * i + round : -1;
        MPI_Bcast(values, 20000, MPI_INT, root, MPI_COMM_WORLD);
        for (int i = 0; i < 20000; ++i) wrong += values[i] != 7 * i + round;
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}
C

ended() { [[ $status != 0 && $status != 124 ]]; }
none_left() {
    local until=$((SECONDS + 10))
    while pgrep -f "$program" >/dev/null; do
        ((SECONDS < until)) || return 1
        sleep 0.1
    done
}

kill_ranks() {
    run "" 4 1
    local native=$status plan
    expect "natively, a killed rank ends the job" ended
    for plan in always auto; do
        run "$library" 4 1 -- ESPALIER_NETWORK=$network ESPALIER_PLAN=$plan
        expect "with plans ($plan), too" ended
        expect "with the same status" test "$status" = "$native"
        expect "and no process is left" none_left
    done
    run "$library" 4 0 -- ESPALIER_NETWORK=$network ESPALIER_PLAN=always
    expect "nor where the leader is killed" ended
    expect "is a process left" none_left
}

fill_disks() {
    run "$library" 2 -- ESPALIER_NETWORK=$network ESPALIER_REPORT=/dev/full
    expect "on a full disk the program gets its bytes" right
    expect "and one line" at_most_one_line
    expect "that names the report" says '^espalier: .*/dev/full'
    run "$library" 2 -- ESPALIER_NETWORK=$network ESPALIER_REPORT="$work/nowhere/run.json"
    expect "where the report can't be written, too" right
    expect "one line says so" says '^espalier: .*nowhere/run.json'
    expect "and only one" at_most_one_line
}

# Half a file, another file, a whole one: whatever rank 0 reads, all ranks agree.
change_files() {
    sed 's/0\.09/0.5/g' "$network" >"$work/other.json"
    head -c 300 "$network" >"$work/half.json"
    cp "$network" "$work/network.json"
    (while true; do
        cat "$work/other.json" >"$work/network.json"
        cat "$work/half.json" >"$work/network.json"
        cp "$network" "$work/new.json" && mv "$work/new.json" "$work/network.json"
        rm "$work/network.json"
    done) 2>/dev/null &
    changer=$!
    for _ in 1 2; do
        run "$library" 2 -- ESPALIER_NETWORK="$work/network.json"
        expect "while the network's file changes, the program gets its bytes" right
        expect "and at most one line" at_most_one_line
    done
    kill "$changer"
    wait "$changer" 2>/dev/null
    changer=
}

go_wrong() {
    kill_ranks
    fill_disks
    change_files
}

with_each_mpi go_wrong
