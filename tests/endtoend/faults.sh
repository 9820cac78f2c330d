#!/usr/bin/env bash
# What goes wrong around a program: a rank is killed in the middle of a collective, a report can't be
# written, the network's file changes while jobs start. Nothing hangs, and the program gets its bytes.
set -uo pipefail

if [[ -n ${ESPALIER_SANITIZE:-} ]]; then
    echo "skipped: a sanitizer's run time has to be loaded before a preloaded library"
    exit 77
fi

work=$(mktemp -d)
changer=
end() {
    if [[ -n $changer ]]; then kill "$changer" 2>/dev/null; fi
    rm -rf "$work"
}
trap end EXIT
failures=0
tried=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
build=$ESPALIER_BUILD
unset LD_PRELOAD "${!ESPALIER_@}"

expect() { # what, condition...
    local what=$1
    shift
    if "$@"; then
        echo "ok: $flavour: $what"
    else
        echo "FAILED: $flavour: $what"
        sed 's/^/    /' "$work/err" | head -5
        failures=$((failures + 1))
    fi
}

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

network=tests/mpi/bcast-network.json
hosts=a-0,b-0,c-0,b-1

run() { # LIBRARY ROUNDS VICTIM VARIABLE=value...: status, $work/out, $work/err
    local library=$1 rounds=$2 victim=$3
    shift 3
    status=0
    env ESPALIER_TEST_HOSTS=$hosts ESPALIER_MEASURE=off "$@" timeout 60 $launch \
        env LD_PRELOAD="$library" "$work/$program" "$rounds" $victim \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
}

right() { [[ $status == 0 && $(cat "$work/out") == "0 wrong" ]]; }
lines() { [[ $(grep -c '^espalier: ' "$work/err") -le $1 ]]; }
says() { grep -q "$1" "$work/err"; }
ended() { [[ $status != 0 && $status != 124 ]]; }
none_left() {
    local until=$((SECONDS + 10))
    while pgrep -f "$work/$program" >/dev/null; do
        ((SECONDS < until)) || return 1
        sleep 0.1
    done
}

for flavour in openmpi mpich; do
    library=$build/libespalier-$flavour.so
    if [[ ! -f $library ]] || ! command -v "mpicc.$flavour" >/dev/null; then continue; fi
    tried=1
    program=program_$flavour
    "mpicc.$flavour" -O1 -o "$work/$program" "$work/program.c" || exit 1
    case $flavour in
        openmpi) launch="mpirun.openmpi -n 4" ;;
        mpich) launch="mpiexec.mpich -n 4" ;;
    esac

    run "" 4 1
    native=$status
    expect "natively, a killed rank ends the job" ended
    for plan in always auto; do
        run "$library" 4 1 ESPALIER_NETWORK=$network ESPALIER_PLAN=$plan
        expect "with plans ($plan), too" ended
        expect "with the same status" test "$status" = "$native"
        expect "and no process is left" none_left
    done
    run "$library" 4 0 ESPALIER_NETWORK=$network ESPALIER_PLAN=always
    expect "nor where the leader is killed" ended
    expect "is a process left" none_left

    run "$library" 2 "" ESPALIER_NETWORK=$network ESPALIER_REPORT=/dev/full
    expect "on a full disk the program gets its bytes" right
    expect "and one line" lines 1
    expect "that names the report" says '^espalier: .*/dev/full'
    run "$library" 2 "" ESPALIER_NETWORK=$network ESPALIER_REPORT="$work/nowhere/run.json"
    expect "where the report can't be written, too" right
    expect "one line says so" says '^espalier: .*nowhere/run.json'
    expect "and only one" lines 1

    # Half a file, another file, a whole one: whatever rank 0 reads, all ranks agree.
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
        run "$library" 2 "" ESPALIER_NETWORK="$work/network.json"
        expect "while the network's file changes, the program gets its bytes" right
        expect "and at most one line" lines 1
    done
    kill "$changer"
    wait "$changer" 2>/dev/null
    changer=
done

((tried == 1)) || exit 77
((failures == 0))
