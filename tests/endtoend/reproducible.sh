#!/usr/bin/env bash
# Sums of floating-point numbers: calls decide how they are done, a later run does them likewise, call by
# call, and has the same bits; where nothing can be kept they are done as predicted.
source "$(dirname "${BASH_SOURCE[0]}")/preloaded.bash"

hosts=a-0,b-0,c-0,b-1,a-1,b-2
cat >"$work/program.c" <<'C'
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t hash = 14695981039346656037u, state;

static void see(const double* values, int count) {
    const unsigned char* bytes = (const unsigned char*)values;
    for (size_t i = 0; i < count * sizeof *values; ++i) hash = (hash ^ bytes[i]) * 1099511628211u;
}

/* Different in each call, with digits that sums lose. */
static void fill(double* values, int count) {
    for (int i = 0; i < count; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values[i] = (double)(state >> 11) / 9007199254740992.0 * (1 + (state & 1023) * 1e6);
    }
}

static void sums(MPI_Comm comm, int calls) {
    enum { count = 300 };
    double mine[count], all[count];
    int counts[6] = {50, 50, 50, 50, 50, 50}, rank;
    MPI_Comm_rank(comm, &rank);
    for (int call = 0; call < calls; ++call) {
        fill(mine, count);
        MPI_Allreduce(mine, all, count, MPI_DOUBLE, MPI_SUM, comm);
        see(all, count);
        MPI_Reduce(mine, all, count, MPI_DOUBLE, MPI_SUM, 1, comm);
        if (rank == 1) see(all, count);
        MPI_Reduce_scatter(mine, all, counts, MPI_DOUBLE, MPI_SUM, comm);
        see(all, 50);
        MPI_Scan(mine, all, count, MPI_DOUBLE, MPI_SUM, comm);
        see(all, count);
    }
}

int main(int argc, char** argv) {
    int rank;
    MPI_Comm other;
    uint64_t all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    state = (uint64_t)rank + 1;
    sums(MPI_COMM_WORLD, 60);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    sums(other, 30);
    sums(MPI_COMM_WORLD, 60);
    MPI_Comm_free(&other);
    /* The last rank leads. */
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
    sums(other, 10);
    MPI_Comm_free(&other);
    MPI_Reduce(&hash, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%016llx\n", (unsigned long long)all);
    MPI_Finalize();
    return 0;
}
C

# run_sums CACHE [VARIABLE=value...]: what its results hash to is in $work/out, its report in $work/report.
run_sums() {
    status=0
    env ESPALIER_TEST_HOSTS=$hosts ESPALIER_NETWORK=$network ESPALIER_CACHE="$1" \
        ESPALIER_REPORT="$work/report" "${@:2}" timeout 100 "${launcher[@]}" -n 6 \
        env LD_PRELOAD="$library" "$program" >"$work/out" 2>"$work/err" </dev/null || status=$?
}
quiet() { [[ $status == 0 && ! -s $work/err ]]; }
same_as() { cmp -s "$work/out" "$1"; }
differs_from() { ! same_as "$1"; }
python() { python3 -c "import glob, json
record = json.load(open(glob.glob('$cache/*-calls-*.json')[0]))
report = json.load(open('$work/report'))
def calls(collective, native):
    return sum(c['calls'] for c in report['calls'] if c['collective'] == collective and
               c['communicator_size'] == 6 and (c['algorithm'] == 'native') == native)
$1"; }

check() {
    cache=$work/cache-$flavour
    run_sums "$cache"
    expect "it runs" quiet
    expect "is kept" python "assert len(record['calls']) == 8, record"
    cp "$work/out" "$work/first"
    cp "$cache"/*-calls-*.json "$work/kept"
    for _ in 1 2; do
        run_sums "$cache"
        expect "a later run runs" quiet
        expect "with the bits of the first" same_as "$work/first"
        expect "and leaves what is kept" cmp -s "$cache"/*-calls-*.json "$work/kept"
    done
    # Another history, as a run on a slower network might have had.
    python "path = glob.glob('$cache/*-calls-*.json')[0]
for call in record['calls']:
    plan = next((t['by'] for t in call['turns'] if t['by'] != 'native'), None)
    if call['collective'] == 'allreduce' and call['communicator'] == 0:
        assert plan, 'no plan was ever used'
        call['turns'] = [{'from_call': 0, 'by': plan}, {'from_call': 3, 'by': 'native'},
                         {'from_call': 10, 'by': plan}, {'from_call': 20, 'by': 'native'}]
    elif call['collective'] == 'allreduce':
        call['turns'] = [{'from_call': 0, 'by': 'native'}]
json.dump(record, open(path, 'w'))"
    run_sums "$cache"
    expect "it follows it" quiet
    expect "call by call" python "planned = calls('allreduce', False)
assert planned in (13, 23), planned"
    expect "with other bits" differs_from "$work/first"
    cp "$work/out" "$work/second"
    run_sums "$cache"
    expect "that are the same next time" same_as "$work/second"

    for way in "$cache ESPALIER_REPRODUCIBLE=on" "/proc/nowhere"; do
        read -ra words <<<"$way"
        run_sums "${words[@]}"
        cp "$work/out" "$work/first"
        run_sums "${words[@]}"
        expect "as predicted it has the same bits" same_as "$work/first"
        expect "done in one way" python \
            "assert (calls('allreduce', False) == 0) != (calls('allreduce', True) == 0), report"
    done
    expect "a folder where nothing can be kept costs one line" lines 1

    run_sums "$work/free-$flavour" ESPALIER_REPRODUCIBLE=off
    # A busy machine may look like a network that has changed, of which the next run shall know.
    expect "off keeps nothing else" eval \
        '[[ -z $(find "$work/free-$flavour" -type f ! -name "*-changes-*" 2>/dev/null) ]]'
    echo '{"format":"espalier-calls"' >"$(echo "$cache"/*-calls-*.json)"
    run_sums "$cache"
    expect "a broken file costs one line" lines 1
    expect "and is named" says "calls-.*json.*as predicted"
}
with_each_mpi check
