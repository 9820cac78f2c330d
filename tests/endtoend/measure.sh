# Measuring the simulated grid of Table 4 gives what the simulator charges; bad usage ends with one
# line and status 2.
set -uo pipefail

build=${ESPALIER_BUILD:?the build folder}
cli=${ESPALIER_CLI:?the espalier binary}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
table4=$root/examples/table4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    printf 'FAILED: %s\n' "$1"
    failures=$((failures + 1))
}

[[ -e $build/espalier-measure-smpi ]] && command -v smpirun >/dev/null || exit 77

neutral=(--cfg=smpi/lat-factor:"0:1;1:1" --cfg=smpi/bw-factor:"0:1;1:1")
# simulate RANKS HOSTFILE [SMPIRUN'S OPTIONS] -- [OPTIONS]
simulate() {
    local ranks=$1 hosts=$2 options=()
    shift 2
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    smpirun -np "$ranks" -platform "$table4/platform.xml" -hostfile "$hosts" --log=root.thresh:warning \
        --cfg=smpi/simulate-computation:no "${options[@]}" "$build/espalier-measure-smpi" "$@"
}
charged() { python3 "$root/tests/endtoend/charged_costs.py" "$1" "$table4/platform.xml" "$2" 6; }

awk '{print (NR * 37) % 89, $0}' "$table4/hostfile" | sort -n | cut -d' ' -f2 >"$work/shuffled"
for hosts in "$table4/hostfile" "$work/shuffled"; do
    simulate 88 "$hosts" -- -o "$work/default.json" 2>"$work/err" || fail "default factors: status $?"
    charged "$work/default.json" default || fail "default factors, $(basename "$hosts")"
    grep -q '^espalier: 6 clusters of 88 hosts, 88 ranks, measured in' "$work/err" || fail 'summary'
    simulate 88 "$hosts" "${neutral[@]}" -- -o "$work/neutral.json" 2>/dev/null || fail "neutral: status $?"
    charged "$work/neutral.json" neutral || fail "neutral factors, $(basename "$hosts")"
done
simulate 88 "$table4/hostfile" "${neutral[@]}" -- --symmetric -o "$work/half.json" 2>/dev/null
charged "$work/half.json" neutral || fail 'symmetric'

# Half the time: hosts are sampled, the clusters are the same, and it says what it left out.
simulate 88 "$work/shuffled" -- --budget 5s -o "$work/sampled.json" 2>"$work/err" || fail 'sampling'
charged "$work/sampled.json" default || fail 'sampled'
grep -q 'of the 3828 pairs of hosts' "$work/err" || fail 'it does not say what it skipped'

# What goes into a directory is what stands in the file, also after a second measurement.
measurements() {
    "$cli" directory show "$work/dir.db" --json |
        python3 -c 'import json, sys; print(len(json.load(sys.stdin)["measurements"]))'
}
for times in 1 2; do
    simulate 88 "$work/shuffled" -- --into "$work/dir.db" -o "$work/beside.json" 2>"$work/err" ||
        fail "--into: status $?"
    grep -q "^espalier: [0-9]* measurements added to $work/dir.db" "$work/err" || fail '--into says nothing'
    "$cli" directory export "$work/dir.db" -o "$work/from.json" >/dev/null || fail 'export'
    charged "$work/from.json" default || fail 'what is exported'
    python3 "$root/tests/endtoend/same_costs.py" "$work/beside.json" "$work/from.json" || fail 'not the file'
    ((times == 1)) && once=$(measurements)
done
[[ $(measurements) == $((2 * once)) ]] || fail 'measurements are kept'
"$cli" plan broadcast "$work/dir.db" --bytes 1MiB >/dev/null || fail 'a plan from a directory'
simulate 88 "$table4/hostfile" "${neutral[@]}" -- --symmetric --by me --budget 5s --into "$work/half.db" \
    2>/dev/null || fail '--into, symmetric'
"$cli" directory export "$work/half.db" --json >"$work/from.json" || fail 'export, symmetric'
charged "$work/from.json" neutral || fail 'what is exported, symmetric'
grep -q '"measured_by": *\["me"\]' "$work/from.json" || fail '--by'

# Several ranks on each host, fewer ranks than hosts, and one; the network on standard output.
head -3 "$table4/hostfile" >"$work/three"
simulate 7 "$work/three" -- --json >"$work/out" 2>/dev/null || fail 'seven ranks on three hosts'
python3 - "$work/out" <<'CHECK' || fail 'three hosts with several ranks each'
import json, sys
network = json.load(open(sys.argv[1]))
cluster, = network["clusters"]
assert cluster["nodes"] == ["c0-0", "c0-1", "c0-2"], cluster["nodes"]
assert "local" in cluster and "within_node" in cluster
assert network["measured"]["ranks"] == 7
CHECK
for ranks in 1 2 3 5; do
    rm -f "$work/few.db"
    simulate $ranks "$table4/hostfile" -- -o "$work/few.json" --into "$work/few.db" 2>/dev/null || fail "$ranks ranks"
    ((ranks == 1)) && continue
    "$cli" directory export "$work/few.db" -o "$work/from.json" >/dev/null || fail "export, $ranks ranks"
    python3 "$root/tests/endtoend/same_costs.py" "$work/few.json" "$work/from.json" || fail "$ranks ranks differ"
done

# Cycle times are the platform's, whether a host has one rank or several.
speed=$(sed -n 's/.*speed="\([0-9.]*\)Gf".*/\1/p' "$table4/platform.xml" | head -1)
simulate 7 "$work/three" -- --compute --json >"$work/out" 2>/dev/null || fail 'seven ranks compute'
python3 - "$work/out" "$speed" <<'CHECK' || fail 'cycle times'
import json, sys
network = json.load(open(sys.argv[1]))
cluster, = network["clusters"]
expected = 1e-9 / float(sys.argv[2])
assert len(cluster["cycle_times"]) == 3
assert all(abs(time / expected - 1) < 1e-4 for time in cluster["cycle_times"]), cluster["cycle_times"]
assert network["measured"]["compute"]["kernel"] == "flops"
CHECK
echo 'double espalier_kernel(void) { for (volatile int i = 0; i < 100000; ++i) {} return 1e5; }' >"$work/kernel.c"
echo 'double other(void) { return 1; }' >"$work/other.c"
for name in kernel other; do
    cc -shared -fPIC -o "$work/$name.so" "$work/$name.c" || fail "$name.c"
done

# rejects PATTERN OPTIONS...: status 2, one line of ours, no file.
rejects() {
    local pattern=$1 status=0
    shift
    simulate 3 "$table4/hostfile" -- "$@" >"$work/out" 2>"$work/err" || status=$?
    [[ $status == 2 ]] || fail "$*: status $status"
    [[ $(grep -c '^espalier: ' "$work/err") == 1 ]] || fail "$*: not one line"
    grep -Eq -- "^espalier: .*($pattern)" "$work/err" || fail "$*: no '$pattern'"
    ! grep -q espalier-network "$work/out" || fail "$*: a network all the same"
}
rejects '--budget' --budget 0
rejects '--budget' --budget soon
rejects '--tolerance' --tolerance -1
rejects 'nonsense' --nonsense
rejects 'No such file' -o "$work/nowhere/net.json"
rejects 'folder' -o "$work"
rejects 'folder' --into "$work"
rejects 'No such file' --into "$work/nowhere/dir.db"
rejects 'no directory of measurements' --into "$work/err"
rejects '--into' --by me
rejects '--kernel' --kernel "$work/kernel.so"
rejects 'nowhere.so' --compute --kernel "$work/nowhere.so"
rejects 'no function' --compute --kernel "$work/other.so"
rejects 'takes no time' --compute --kernel "$work/kernel.so"
rejects 'keeps no cycle times' --compute --into "$work/dir.db"
echo 'SQLite format 3' | head -c 15 >"$work/cut.db"
rejects 'no directory of measurements|damaged' --into "$work/cut.db"
# Somebody else who writes and does not end: it says so before anything is measured.
python3 -c 'import sqlite3, sys, time
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
open(sys.argv[2], "w").close()
time.sleep(60)' "$work/dir.db" "$work/held" &
holder=$!
until [[ -e $work/held ]]; do sleep 0.1; done
rejects 'dir.db: locked by another process' --into "$work/dir.db"
kill $holder

((failures == 0)) && echo 'measure: ok'
exit $((failures > 0))
