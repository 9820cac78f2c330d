# Over real TCP, between hosts in network namespaces: measuring finds the ways out of and into three
# sites, and plans take what it writes. How much is found depends on how busy this machine is; what
# is found has to be true.
set -uo pipefail

build=${ESPALIER_BUILD:?the build folder}
cli=${ESPALIER_CLI:?the espalier binary}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
testbed=$build/espalier-testbed
measure=$build/espalier-measure-openmpi
sites=$root/testbed/examples/three-sites.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR=$work
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset ESPALIER_TESTBED LD_PRELOAD

skip() {
    printf 'measure_sharing: skipped: %s\n' "$1"
    exit 77
}
fail() {
    printf 'FAILED: %s\n' "$1"
    cat "$work/err"
    exit 1
}

[[ -x $testbed && -x $measure ]] || skip 'no testbed or no Open MPI here'
[[ -z ${ESPALIER_SANITIZE:-} ]] || skip 'too slow under a sanitizer'
timeout 20 "$testbed" run "$sites" -- true 2>"$work/err" || skip "the testbed does not come up: $(tail -1 "$work/err")"

timeout 60 "$testbed" run "$sites" -- "$testbed" mpirun openmpi -n 25 -- "$measure" -o "$work/net.json" \
    2>"$work/err" || fail "measuring: status $?"
python3 - "$work/net.json" <<'CHECK' || fail 'what links share'
import json, sys

network = json.load(open(sys.argv[1]))
site_of = {}
for cluster in network["clusters"]:
    sites = {node.split("-")[0] for node in cluster["nodes"]}
    assert len(sites) == 1, f"a cluster over sites: {cluster['nodes']}"
    site_of[cluster["name"]] = sites.pop()
goodput = 9.5e6  # of 80 Mbit/s
ways = 0
for shared in network.get("shared", []):
    far = [(site_of[a], site_of[b]) for a, b in shared["pairs"] if site_of[a] != site_of[b]]
    if not far:
        continue
    ways += 1
    assert 0.7 * goodput < shared["capacity_Bps"] < 1.05 * goodput, shared
assert ways >= 2, f"{ways} ways found"
assert {s["name"] for s in network["shared"]} == {s["name"] for s in network["measured"]["shared"]}
CHECK
"$cli" plan broadcast "$work/net.json" --bytes 1MiB --ranks >/dev/null 2>"$work/err" || fail 'a plan for what was measured'
printf 'measure_sharing: ok\n'
