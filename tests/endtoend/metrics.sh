#!/usr/bin/env bash
# What a run tells while it goes on: files that Prometheus takes, of one process a node, which say
# of savings what the summary says; and what espalier top makes of them. A folder that vanishes, or
# is full, costs one line, and the program goes on.
source "$(dirname "${BASH_SOURCE[0]}")/preloaded.bash"
cli=$build/espalier

cat >"$work/program.c" <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
static void least_of(void* in, void* inout, int* length, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *length; ++i)
        if (((int*)in)[i] < ((int*)inout)[i]) ((int*)inout)[i] = ((int*)in)[i];
}
int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    const int slow = strcmp(what, "slow") == 0;
    int rank, size, wrong = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char data[3000];
    for (int call = 0; call < 60; ++call) {
        for (int i = 0; i < 3000; ++i) data[i] = rank == 0 ? (char)(i * 3 + call) : 0;
        MPI_Bcast(data, 3000, MPI_CHAR, 0, MPI_COMM_WORLD);
        for (int i = 0; i < 3000; ++i) wrong += data[i] != (char)(i * 3 + call);
    }
    for (int call = 0; call < 60; ++call) {
        int sum = 0, one = call;
        if (slow && rank == 2) usleep(60000);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += sum != size * call;
    }
    MPI_Op own;
    MPI_Request request;
    int least = 0;
    MPI_Op_create(least_of, 1, &own);
    MPI_Iallreduce(&rank, &least, 1, MPI_INT, own, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Op_free(&own);
    wrong += least != 0;
    if (strcmp(what, "watched") == 0) {
        // Until somebody who has looked says so.
        for (int k = 0; k < 1000 && access(argv[2], F_OK) != 0; ++k) usleep(50000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(what, "full") == 0) {
        const struct rlimit none = {0, RLIM_INFINITY};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &none);
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && strcmp(what, "full") != 0) printf("%d wrong\n", all);
    fflush(stdout);
    MPI_Finalize();
    return all != 0 && rank == 0;
}
C

# valid FILE...: what Prometheus' own tool says of them, if it is here, else its library for Python.
valid() {
    local file
    for file; do
        if command -v promtool >/dev/null; then
            promtool check metrics <"$file" >"$work/said" 2>&1 || return 1
        else
            python3 -c 'import sys
from prometheus_client.parser import text_string_to_metric_families as families
assert list(families(open(sys.argv[1]).read()))' "$file" || return 1
        fi
    done
}
command -v promtool >/dev/null || python3 -c 'import prometheus_client' 2>/dev/null ||
    { echo "skipped: neither promtool nor python3-prometheus-client"; exit 77; }

files() { [[ $(find "$1" -name 'espalier-*.prom' | wc -l) == "$2" && $(find "$1" -type f | wc -l) == "$2" ]]; }
# sum FILE NAME [LABEL=VALUE...]: of the samples of that name with these labels.
sum() {
    python3 - "$@" <<'P'
import re, sys
total = 0
for line in open(sys.argv[1]):
    found = re.fullmatch(r'(\w+)(?:\{(.*)\})? (\S+)\n', line)
    if found and found[1] == sys.argv[2]:
        labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[2] or ''))
        if all(labels.get(w.split('=')[0]) == w.split('=')[1] for w in sys.argv[3:]): total += float(found[3])
print(total)
P
}
is() { [[ $1 == "$2" ]]; }
about() { python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(abs(a - b) > 0.02 * abs(b) + 1e-4)' "$1" "$2"; }
shows() { grep -Eq -- "$1" "$work/shown"; }
ends_with_2() { [[ $top == 2 && $(wc -l <"$work/said") == 1 && ! -s $work/shown ]] && grep -q '^espalier: ' "$work/said"; }
top() {
    top=0
    "$cli" top "$@" >"$work/shown" 2>"$work/said" </dev/null || top=$?
}

metrics() {
    local given=ESPALIER_NETWORK=$network folder=$work/metrics.$flavour file nodes=4 saved
    # Hydra gives its ranks no name of the job.
    [[ $flavour == openmpi ]] || nodes=1

    run "$library" -- "$given" ESPALIER_METRICS="$folder" ESPALIER_REPORT="$work/run.json"
    expect "a program gets its bytes" right
    expect "without a word" lines 0
    expect "one rank a node tells, whole" files "$folder" $nodes
    expect "in the format of Prometheus" valid "$folder"/*.prom
    file=$(grep -l 'espalier_job_info{.*rank="0"' "$folder"/*.prom)
    expect "all calls" is "$(sum "$file" espalier_calls_total)" 121.0
    expect "of each collective" is "$(sum "$file" espalier_calls_total collective=broadcast communicator_size=4)" 60.0
    expect "and their bytes" is "$(sum "$file" espalier_call_bytes_total collective=broadcast)" 180000.0
    expect "those that are handed on" is "$(sum "$file" espalier_untimed_calls_total call=MPI_Iallreduce)" 1.0
    expect "that it is over" is "$(sum "$file" espalier_job_running)" 0.0
    saved=$(python3 -c 'import json, sys
print(sum((c["gain"]["native_s"] - c["gain"]["planned_s"]) * c["calls"]
          for c in json.load(open(sys.argv[1]))["calls"] if "gain" in c and c["algorithm"] != "native"))' "$work/run.json")
    expect "what is saved is what the report says" about "$(sum "$file" espalier_saved_seconds)" "$saved"
    expect "the slowest link by name" grep -Eq '^espalier_slowest_link_seconds\{.*from="(a|b|c)",to="(a|b|c)",bytes="1048576"\}' "$file"

    run "$library" slow -- "$given" ESPALIER_METRICS="$work/slow.$flavour" SLURM_JOB_ID=4711
    expect "a program with a slow rank gets its bytes" right
    expect "each node tells where a batch system names the job" files "$work/slow.$flavour" 4
    file=$(grep -l 'espalier_job_info{.*rank="0"' "$work/slow.$flavour"/*.prom)
    expect "the batch system's job is named" grep -q 'job_id="4711"' "$file"
    expect "who came last is known" is "$(python3 -c 'import sys; print(float(sys.argv[1]) > 0.5 * float(sys.argv[2]) > 0.01)' \
        "$(sum "$file" espalier_waited_for_seconds_total late_host=c-0)" "$(sum "$file" espalier_waited_for_seconds_total)")" True
    expect "and how late" is "$(python3 -c 'import sys; print(0.03 < float(sys.argv[1]) / float(sys.argv[2]) < 0.2)' \
        "$(sum "$file" espalier_arrival_skew_seconds_sum collective=allreduce)" \
        "$(sum "$file" espalier_arrival_skew_seconds_count collective=allreduce)")" True
    top "$work/slow.$flavour" --once
    expect "top shows it" is "$top" 0
    expect "and the slowest host" shows '(; |^  )slowest host c-0 '
    expect "and collectives" shows '^  allreduce +4 +60 '

    python3 tests/endtoend/columns.py 80 timeout --foreground 3.5 "$cli" top "$work/slow.$flavour" >"$work/shown"
    expect "at a terminal it is shown again and again" test "$(grep -c '1 run, 0 of them at work' "$work/shown")" -ge 2
    expect "in its columns" python3 -c 'import re, sys
sys.exit(max(len(re.sub("\x1b\[[A-Z0-9]*", "", line.rstrip("\n"))) for line in sys.stdin) > 80)' <"$work/shown"

    # While it goes on.
    folder=$work/live.$flavour
    (
        for ((k = 0; k < 500; ++k)); do
            [[ ! -d $folder ]] || ! grep -qs 'running{.*} 1$' "$folder"/*.prom || break
            sleep 0.05
        done
        "$cli" top "$folder" >"$work/shown.live" 2>&1
        touch "$work/looked.$flavour"
    ) &
    run "$library" watched "$work/looked.$flavour" -- "$given" ESPALIER_METRICS="$folder"
    wait
    expect "a program that is watched gets its bytes" right
    expect "it is seen while it runs" grep -Eq '1 run, 1 of them at work' "$work/shown.live"

    # Where nothing can be written.
    : >"$work/file"
    run "$library" -- "$given" ESPALIER_METRICS="$work/file/sub"
    expect "a folder that can't be made: the program goes on" right
    expect "one line says so" lines $nodes
    run "$library" full -- "$given" ESPALIER_METRICS="$work/full.$flavour"
    expect "a full disk: the program goes on" is "$status" 0
    expect "one line says that, too" lines $nodes
    run "$library" -- "$given" ESPALIER_METRICS="$work/native.$flavour" ESPALIER_TEST_HOSTS=a-0,a-0,a-0,a-0
    expect "what is left to MPI is counted, too" right
    expect "by rank 0" files "$work/native.$flavour" 1
    expect "as MPI's" is "$(sum "$work/native.$flavour"/*.prom espalier_calls_total way=mpi)" 121.0
    run "$library" -- "$given" ESPALIER_METRICS="$work/off" ESPALIER=off
    expect "off is off" test ! -e "$work/off"

    top "$work/none"
    expect "top of no folder" ends_with_2
    mkdir -p "$work/empty"
    top "$work/empty" --once
    expect "top of an empty one" ends_with_2
    mkdir -p "$work/broken"
    printf 'espalier_job_info{job="1 1\n' >"$work/broken/espalier-a.prom"
    top "$work/broken"
    expect "top of a file that is cut short" ends_with_2
    top
    expect "top of nothing" ends_with_2
    ESPALIER_METRICS=$work/slow.$flavour top
    expect "top of the variable's folder" is "$top" 0
}

with_each_mpi metrics
