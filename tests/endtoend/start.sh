#!/usr/bin/env bash
# A program starts without a network file: its network is measured in MPI_Init, kept, and found
# again; whatever is wrong with what is kept, or with where, costs one line and nothing else.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1
[[ -z ${ESPALIER_SANITIZE:-} ]] || skip "a sanitizer's run time would have to be preloaded first"
build=${ESPALIER_BUILD:?the folder of the preloaded libraries}
unset LD_PRELOAD "${!ESPALIER_@}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1

cat >program.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong_bytes(MPI_Comm comm) {
    int rank, size, wrong = 0;
    static char data[40000];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int root = 0; root < size; ++root) {
        memset(data, 0, sizeof data);
        for (int i = 0; rank == root && i < (int)sizeof data; ++i) data[i] = (char)(i * 7 + root);
        MPI_Bcast(data, sizeof data, MPI_CHAR, root, comm);
        for (int i = 0; i < (int)sizeof data; ++i) wrong += data[i] != (char)(i * 7 + root);
    }
    return wrong;
}

int main(int argc, char** argv) {
    int rank, wrong, all, provided;
    if (argc > 1 && strcmp(argv[1], "thread") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wrong = wrong_bytes(MPI_COMM_WORLD);
    /* The last rank leads. */
    MPI_Comm turned;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    wrong += wrong_bytes(turned);
    MPI_Comm_free(&turned);
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    wrong += handler != MPI_ERRORS_ARE_FATAL;
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}
C

# What a cache holds turned into a network whose hosts lie far apart.
cat >apart.py <<'PY'
import json, sys
kept = json.load(open(sys.argv[1]))
hosts = [h for c in kept["clusters"] for h in c["nodes"]]
n = len(hosts)
for field in ("latency_s", "gap_s"):
    kept[field] = [[0 if i == j else 0.01 for j in range(n)] for i in range(n)]
local = {"latency_s": 1e-6, "gap_s": 1e-6}
kept["clusters"] = [{"name": "far-" + h, "nodes": [h], "local": local} for h in hosts]
for field in ("shared", "latency_by_size_s", "spread"):
    kept.pop(field, None)
json.dump(kept, open(sys.argv[1], "w"))
PY

hosts=a,b,c,b

launch() { # VARIABLE=value... [-- WORD...]: output in $out and $err
    local variables=()
    while (($# > 0)) && [[ $1 != -- ]]; do variables+=("$1"); shift; done
    shift
    status=0
    env ESPALIER_TEST_HOSTS=$hosts ESPALIER_CACHE="$PWD/cache" ESPALIER_REPORT="$PWD/run.json" \
        ESPALIER_MEASURE_BUDGET=1s "${variables[@]}" \
        timeout 60 "${launcher[@]}" -n "${ranks:-4}" env LD_PRELOAD="$library" "./program-$mpi" "$@" \
        >"$out" 2>"$err" </dev/null || status=$?
    # Hosts that a busy machine told apart may leave something to find out, with which the next start
    # would go on.
    rm -f cache/*.notes
}

# How many lines of ours there are. How much of a busy machine can be measured is another matter.
lines() { grep '^espalier: ' "$err" | grep -vc '^espalier: ESPALIER_MEASURE_BUDGET: '; }

# starts WHAT LINES VARIABLE=value...: it ends well, with the right bytes and so many lines of ours.
starts() {
    local what=$1 lines=$2
    shift 2
    launch "$@"
    holds "$mpi: $what: status $status" test "$status" = 0
    holds "$mpi: $what: the right bytes" grep -qx '0 wrong' "$out"
    holds "$mpi: $what: $lines lines, not more" test "$(lines)" = "$lines"
}

came_from() { json_holds "$mpi: the network is said to come from $1" "d['network_from'] == '$1'" run.json; }
# Measured, or tried: a busy machine may not show enough in the time.
came_anew() {
    grep -q '^espalier: ESPALIER_MEASURE_BUDGET: .* (' "$err" || came_from measured
}
is_whole() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1"; }
was_planned() {
    json_holds "$mpi: $1: the program's calls were $2" \
        "all(('reason' in c) == ('$2' != 'planned') for c in d['calls'])" run.json
}
files() { find "$1" -type f 2>/dev/null | wc -l; }

tried=0
for mpi in openmpi mpich; do
    library=$build/libespalier-$mpi.so
    compiler=$(command -v mpicc.$mpi || true)
    if [[ -z $compiler || ! -e $library ]]; then
        echo "$mpi: not here, skipped"
        continue
    fi
    tried=$((tried + 1))
    "$compiler" -o "program-$mpi" program.c || exit 1
    if [[ $mpi == openmpi ]]; then launcher=(mpirun.openmpi); else launcher=(mpiexec.mpich); fi
    rm -rf cache

    # Measured, kept and found again.
    for attempt in 1 2 3 4 5; do
        starts "the first start" 0
        (($(files cache) == 0)) || break
    done
    came_from measured
    holds "$mpi: one network is kept" test "$(files cache)" = 1
    json_holds "$mpi: the report has its fingerprint" "d['network'].startswith('sha256:')" run.json
    json_holds "$mpi: and how long measuring took" "0 < d['network_measured_in_s'] < 10" run.json
    kept=$(find cache -type f)
    measured=$(json "d['network']" run.json)
    accepts convert "$kept" --json
    starts "the second start" 0
    came_from cache
    json_holds "$mpi: it is the same network" "d['network'] == '$measured'" run.json
    json_holds "$mpi: the report names its file" "d['network_file'].endswith('$kept')" run.json
    starts "another order of ranks" 0 ESPALIER_TEST_HOSTS=b,b,a,c
    came_from cache
    starts "MPI_Init_thread" 0 -- thread
    came_from cache
    starts "a forced start" 0 ESPALIER_MEASURE=force
    came_anew
    holds "$mpi: it replaces what was kept" test "$(files cache)" = 1

    # What is kept is what is planned on, whoever leads the communicator.
    python3 apart.py "$kept"
    starts "hosts far apart" 0 ESPALIER_PLAN=always
    came_from cache
    was_planned "hosts far apart" planned
    json_holds "$mpi: both communicators were" "sum(c['calls'] for c in d['calls'] if c['collective'] == 'broadcast') == 8" run.json
    starts "nothing to be planned" 0 ESPALIER_PLAN=never
    was_planned "nothing to be planned" native
    starts "no measuring" 0 ESPALIER_MEASURE=off
    came_from none
    was_planned "no measuring" native

    # One host has no network, and needs none.
    starts "one host" 0 ESPALIER_TEST_HOSTS=a,a.site,a,a
    came_from none
    holds "$mpi: nothing is kept for one host" test "$(files cache)" = 1
    json_holds "$mpi: why is said" "d['calls'][0]['reason'] == 'all ranks on one host'" run.json
    ranks=1 starts "one rank" 0
    starts "one host, forced" 0 ESPALIER_TEST_HOSTS=a,a,a,a ESPALIER_MEASURE=force
    came_anew
    was_planned "one host, forced" native

    # A file that can't be used is measured anew, and replaced.
    whole=$(cat "$kept")
    for what in '' "${whole:0:300}" "$(sed 's/"version": *1/"version": 7/' <<<"$whole")"; do
        printf '%s' "$what" >"$kept"
        starts "a kept file of ${#what} bytes" 1
        came_anew
    done
    printf '%s' "$whole" >"$kept"
    starts "after them" 0
    came_from cache

    # Nowhere to keep anything.
    launch ESPALIER_CACHE=/dev/full
    holds "$mpi: with a cache that is a device it runs" grep -qx '0 wrong' "$out"
    holds "$mpi: and draws at most a line" test "$(lines)" -le 1
    launch ESPALIER_CACHE= HOME= XDG_CACHE_HOME=
    holds "$mpi: without a home it runs" grep -qx '0 wrong' "$out"
    holds "$mpi: and draws at most a line" test "$(lines)" -le 1
    mkdir -p full
    if mount -t tmpfs -o size=4k tmpfs full 2>/dev/null; then
        dd if=/dev/zero of=full/filler bs=1k count=4 status=none 2>/dev/null
        launch ESPALIER_CACHE="$PWD/full"
        holds "$mpi: with a full disk it runs" grep -qx '0 wrong' "$out"
        holds "$mpi: and draws at most a line" test "$(lines)" -le 1
        holds "$mpi: it leaves nothing there" test "$(ls full)" = filler
        umount full
    fi
    launch ESPALIER_CACHE= XDG_CACHE_HOME="$PWD/own"
    holds "$mpi: a user's own cache is where it belongs" \
        test "$(files own)" = "$(files own/espalier)"
    rm -rf own

    # Two jobs at once.
    rm -rf cache
    for job in 1 2; do
        (
            out=$work/out.$job err=$work/err.$job failures=0
            starts "job $job of two" 0 ESPALIER_REPORT="$PWD/run.$job.json"
            exit "$failures"
        ) &
    done
    for job in 1 2; do
        wait -n || failures=$((failures + 1))
    done
    holds "$mpi: two jobs keep at most one file" test "$(files cache)" -le 1

    # Killed while it starts, measures or keeps.
    for moment in 0.3 0.8 1.5; do
        rm -rf cache
        ESPALIER_TEST_HOSTS=$hosts ESPALIER_CACHE="$PWD/cache" "${launcher[@]}" -n 4 \
            env LD_PRELOAD="$library" "./program-$mpi" >/dev/null 2>&1 </dev/null &
        sleep $moment
        kill -KILL $! 2>/dev/null
        wait $! 2>/dev/null
        for kept in cache/*.json; do
            [[ ! -e $kept ]] || holds "$mpi: killed after $moment s it keeps no half" is_whole "$kept"
        done
    done
    starts "after that" 0

    # A network file: what rank 0 can read is what all have.
    network=$root/tests/mpi/bcast-network.json
    cp "$network" same.json
    starts "a network file" 0 ESPALIER_NETWORK=same.json ESPALIER_TEST_HOSTS=a-0,b-0,c-0,b-1 \
        ESPALIER_PLAN=always
    came_from file
    was_planned "a network file" planned
    status=0
    env ESPALIER_TEST_HOSTS=a-0,b-0,c-0,b-1 ESPALIER_REPORT="$PWD/run.json" ESPALIER_PLAN=always \
        timeout 60 "${launcher[@]}" \
        -n 1 env LD_PRELOAD="$library" ESPALIER_NETWORK=same.json "./program-$mpi" : \
        -n 3 env LD_PRELOAD="$library" ESPALIER_NETWORK=none.json "./program-$mpi" \
        >"$out" 2>"$err" </dev/null || status=$?
    holds "$mpi: a file that rank 0 alone can read" grep -qx '0 wrong' "$out"
    holds "$mpi: without a word" test "$(lines)" = 0
    was_planned "a file that rank 0 alone can read" planned
    sed 's/0\.01/0.02/' same.json >other.json
    printf '\n' >>other.json
    env ESPALIER_TEST_HOSTS=a-0,b-0,c-0,b-1 ESPALIER_REPORT="$PWD/run.json" timeout 60 \
        "${launcher[@]}" \
        -n 3 env LD_PRELOAD="$library" ESPALIER_NETWORK=same.json "./program-$mpi" : \
        -n 1 env LD_PRELOAD="$library" ESPALIER_NETWORK=other.json "./program-$mpi" \
        >"$out" 2>"$err" </dev/null
    holds "$mpi: files that differ" grep -qx '0 wrong' "$out"
    holds "$mpi: one line says so" test "$(grep -c '^espalier: same.json: not the same on' "$err")" = 1
    was_planned "files that differ" native
    starts "hosts of another network" 1 ESPALIER_NETWORK=same.json
    was_planned "hosts of another network" native
    starts "no such file" 1 ESPALIER_NETWORK=none.json
    was_planned "no such file" native
done
((tried > 0)) || skip "no MPI"
finish
