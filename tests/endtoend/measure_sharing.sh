# Over real TCP, between hosts in network namespaces: measuring finds the ways out of and into three
# sites, and plans take what it writes. How much is found depends on how busy this machine is; what
# is found has to be true.
source "$(dirname "${BASH_SOURCE[0]}")/testbed.bash"

sites=$root/testbed/examples/three-sites.json
measure=$build/espalier-measure-openmpi
[[ -z ${ESPALIER_SANITIZE:-} ]] || skip "too slow under a sanitizer"
[[ -x $measure ]] || skip "no Open MPI"
needs_testbed "$sites"

testbed run "$sites" -- "$testbed" mpirun openmpi -n 25 -- "$measure" -o "$work/net.json"
holds "it measures" ends_with 0
python3 - "$work/net.json" >"$out" 2>"$err" <<'CHECK' || complain "what links share"
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
holds "nothing is left" nothing_left
accepts plan broadcast "$work/net.json" --bytes 1MiB --ranks
finish
