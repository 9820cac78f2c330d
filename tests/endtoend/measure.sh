# Measuring the simulated grid of Table 4 gives what the simulator charges; bad usage ends with one
# line and status 2.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

build=${ESPALIER_BUILD:?the build folder}
table4=$root/examples/table4
[[ -e $build/espalier-measure-smpi ]] && command -v smpirun >/dev/null || skip "no SMPI"

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
    simulate 88 "$hosts" -- -o "$work/default.json" 2>"$err" || complain "default factors: status $?"
    charged "$work/default.json" default || complain "default factors, $(basename "$hosts")"
    grep -q '^espalier: 6 clusters of 88 hosts, 88 ranks, measured in' "$err" || complain 'summary'
    simulate 88 "$hosts" "${neutral[@]}" -- -o "$work/neutral.json" 2>/dev/null || complain "neutral: status $?"
    charged "$work/neutral.json" neutral || complain "neutral factors, $(basename "$hosts")"
done
simulate 88 "$table4/hostfile" "${neutral[@]}" -- --symmetric -o "$work/half.json" 2>/dev/null
charged "$work/half.json" neutral || complain 'symmetric'

# Less time: hosts are sampled, the clusters are the same, and it says what it left out.
simulate 88 "$work/shuffled" -- --budget 6s --table -o "$work/sampled.json" 2>"$err" || complain 'sampling'
grep -qx 'grid of 6 clusters, 88 nodes' "$err" || complain 'no table for people'
"$cli" network "$work/sampled.json" >"$out"
grep -v '^espalier: ' "$err" | diff -B - "$out" >/dev/null || complain 'espalier network says something else'
tail -n 1 "$err" | grep -q '^espalier: 6 clusters of 88 hosts' || complain 'the summary is not the last line'
charged "$work/sampled.json" default || complain 'sampled'
grep -q 'of the 3828 pairs of hosts' "$err" || complain 'it does not say what it skipped'

# What goes into a directory is what stands in the file, also after a second measurement.
measurements() {
    "$cli" directory show "$work/dir.db" --json |
        python3 -c 'import json, sys; print(len(json.load(sys.stdin)["measurements"]))'
}
for times in 1 2; do
    simulate 88 "$work/shuffled" -- --into "$work/dir.db" -o "$work/beside.json" 2>"$err" ||
        complain "--into: status $?"
    grep -q "^espalier: [0-9]* measurements added to $work/dir.db" "$err" || complain '--into says nothing'
    "$cli" directory export "$work/dir.db" -o "$work/from.json" >/dev/null || complain 'export'
    charged "$work/from.json" default || complain 'what is exported'
    python3 "$root/tests/endtoend/same_costs.py" "$work/beside.json" "$work/from.json" || complain 'not the file'
    ((times == 1)) && once=$(measurements)
done
[[ $(measurements) == $((2 * once)) ]] || complain 'measurements are kept'
"$cli" plan broadcast "$work/dir.db" --bytes 1MiB >/dev/null || complain 'a plan from a directory'
simulate 88 "$table4/hostfile" "${neutral[@]}" -- --symmetric --by me --budget 5s --into "$work/half.db" \
    2>/dev/null || complain '--into, symmetric'
"$cli" directory export "$work/half.db" --json >"$work/from.json" || complain 'export, symmetric'
charged "$work/from.json" neutral || complain 'what is exported, symmetric'
grep -q '"measured_by": *\["me"\]' "$work/from.json" || complain '--by'

# Several ranks on each host, fewer ranks than hosts, and one; the network on standard output.
head -3 "$table4/hostfile" >"$work/three"
simulate 7 "$work/three" -- --json >"$out" 2>/dev/null || complain 'seven ranks on three hosts'
python3 - "$out" <<'CHECK' || complain 'three hosts with several ranks each'
import json, sys
network = json.load(open(sys.argv[1]))
cluster, = network["clusters"]
assert cluster["nodes"] == ["c0-0", "c0-1", "c0-2"], cluster["nodes"]
assert "local" in cluster and "within_node" in cluster
assert network["measured"]["ranks"] == 7
CHECK
for ranks in 1 2 3 5; do
    rm -f "$work/few.db"
    simulate $ranks "$table4/hostfile" -- -o "$work/few.json" --into "$work/few.db" 2>/dev/null || complain "$ranks ranks"
    ((ranks == 1)) && continue
    "$cli" directory export "$work/few.db" -o "$work/from.json" >/dev/null || complain "export, $ranks ranks"
    python3 "$root/tests/endtoend/same_costs.py" "$work/few.json" "$work/from.json" || complain "$ranks ranks differ"
done

# Cycle times are the platform's, whether a host has one rank or several.
speed=$(sed -n 's/.*speed="\([0-9.]*\)Gf".*/\1/p' "$table4/platform.xml" | head -1)
simulate 7 "$work/three" -- --compute --json >"$out" 2>/dev/null || complain 'seven ranks compute'
python3 - "$out" "$speed" <<'CHECK' || complain 'cycle times'
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
    cc -shared -fPIC -o "$work/$name.so" "$work/$name.c" || complain "$name.c"
done

# refuses PATTERN OPTIONS...: status 2, one line of ours, no file.
refuses() {
    local pattern=$1
    shift
    status=0
    simulate 3 "$table4/hostfile" -- "$@" >"$out" 2>"$err" || status=$?
    [[ $status == 2 ]] || complain "$*: status $status"
    [[ $(grep -c '^espalier: ' "$err") == 1 ]] || complain "$*: not one line"
    grep -Eq -- "^espalier: .*($pattern)" "$err" || complain "$*: no '$pattern'"
    ! grep -q espalier-network "$out" || complain "$*: a network all the same"
}
refuses '--budget' --budget 0
refuses '--budget' --budget soon
refuses '--tolerance' --tolerance -1
refuses 'nonsense' --nonsense
refuses 'No such file' -o "$work/nowhere/net.json"
refuses 'folder' -o "$work"
refuses 'folder' --into "$work"
refuses 'No such file' --into "$work/nowhere/dir.db"
refuses 'no directory of measurements' --into "$err"
refuses '--into' --by me
refuses '--kernel' --kernel "$work/kernel.so"
refuses 'nowhere.so' --compute --kernel "$work/nowhere.so"
refuses 'no function' --compute --kernel "$work/other.so"
refuses 'takes no time' --compute --kernel "$work/kernel.so"
refuses 'keeps no cycle times' --compute --into "$work/dir.db"
echo 'SQLite format 3' | head -c 15 >"$work/cut.db"
refuses 'no directory of measurements|damaged' --into "$work/cut.db"
# Somebody else who writes and does not end: it says so before anything is measured.
python3 -c 'import sqlite3, sys, time
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
open(sys.argv[2], "w").close()
time.sleep(60)' "$work/dir.db" "$work/held" &
holder=$!
until [[ -e $work/held ]]; do sleep 0.1; done
refuses 'dir.db: locked by another process' --into "$work/dir.db"
kill $holder

finish
