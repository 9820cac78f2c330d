# Every plan that is written is found valid, and a changed one is not.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1

names() {
    "$cli" algorithms --json | python3 -c 'import json, sys
print(*[a["name"] for a in json.load(sys.stdin)["algorithms"]
        if a["family"] == sys.argv[1] and sys.argv[2] in a["models"]
        and "broadcast" in a["collectives"]])' "$1" "$2"
}

# planned NETWORK OPTIONS...: plans into plan.json; what is written is valid, and has its makespan.
planned() {
    local network=$1
    shift
    accepts plan broadcast "$network" "$@" -o plan.json --json
    holds "plan $* prints what it writes" cmp -s "$out" plan.json
    accepts check plan.json --network "$network" --json
    holds "plan $* was made for this network" test ! -s "$err"
    python3 - "$out" >"$err" <<'PYTHON' || complain "plan $*: $(tail -n 1 "$err")"
import json, sys
plan, check = json.load(open("plan.json")), json.load(open(sys.argv[1]))
assert plan["format"] == "espalier-schedule" and plan["version"] == 1, "format"
assert plan["collective"] == "broadcast" and plan["network"].startswith("sha256:"), "head"
assert plan["bound_scope"] in ("whole-message", "any"), "scope"
assert 0 < plan["lower_bound"] <= plan["makespan"] * (1 + 1e-9), "bound"
assert check["valid"] and check["stated_makespan"] == plan["makespan"], "check"
# What is inside a grid within a grid is not in the file of its clusters.
nested = any(part["strategy"] == "nested" for part in plan.get("local", []))
off = abs(check["makespan"] / plan["makespan"] - 1)
assert off < 1e-9 or nested, "makespan off by %g" % off
PYTHON
    : >"$err"
}

sed '/startup_s/s/null/0.04/; /bandwidth_Bps/s/null/30000/' "$networks/pairwise.json" >pairwise.json
python3 - "$networks/sites.json" >sites.json <<'PYTHON'
import json, sys
d = json.load(open(sys.argv[1]))
south = d["clusters"][1]
south["local"] = south.pop("grid")["clusters"][0]["local"]
json.dump(d, sys.stdout)
PYTHON
for algorithm in auto $(names grid grid); do
    planned "$networks/sites.json" --bytes 64KiB --algorithm "$algorithm"
    planned "$networks/sites.json" --bytes 64KiB --algorithm "$algorithm" --root new-0 --ranks
    planned "$networks/sites.json" --bytes 64KiB --algorithm "$algorithm" --segment 8KiB --root south
    planned sites.json --bytes 64KiB --algorithm "$algorithm" --segment 4KiB --root south
done
for algorithm in auto $(names grid pairwise); do
    planned pairwise.json --bytes 64KiB --algorithm "$algorithm" --root USC
done
for algorithm in auto $(names local grid); do
    planned "$networks/cluster.json" --bytes 64KiB --algorithm "$algorithm"
    planned "$networks/cluster.json" --bytes 64KiB --algorithm "$algorithm" --root room-4 --ranks
    planned "$networks/sites.json" --bytes 64KiB --algorithm ecef --local "$algorithm" --ranks
done
accepts generate grid --clusters 7 --seed 3 -o random.json
# Thousands of segments on ports that several messages use at once, on uplinks that clusters share.
planned "$root/examples/table4/network.json" --bytes 512KiB --ports 2 --algorithm ecef
for algorithm in auto flat ecef bottom-up; do planned random.json --algorithm "$algorithm" --root c3; done

# By hand: the root's port is busy for g = 1 s and then again, the last one arrives at 2 g + L.
cat >star.json <<'NETWORK'
{"format":"espalier-network","version":1,"model":"grid",
 "clusters":[{"name":"a","size":1},{"name":"b","size":1},{"name":"c","size":1}],
 "latency_s":[[0,0.25,0.25],[9,0,9],[9,9,0]], "gap_s":[[0,1,1],[9,0,9],[9,9,0]]}
NETWORK
accepts plan broadcast star.json --algorithm ecef -o plan.json --json
json_holds 'two sends of 1 s, and a latency' 'abs(d["makespan"] - 2.25) < 1e-12' plan.json
json_holds 'that is the order' '[(t["from"], t["to"], t["start"], t["end"]) for t in d["transfers"]] == [("a", "b", 0, 1.25), ("a", "c", 1, 2.25)]' plan.json
accepts plan broadcast star.json --algorithm flat --root b --json
json_holds 'the root is the one asked for' 'd["root"] == "b" and d["makespan"] == 27' "$out"

# A broadcast_s stands for any size, and that is said once.
accepts plan broadcast "$networks/grid.json" --bytes 1KiB --algorithm flat --json
holds 'broadcast_s draws a warning' grep -q "^espalier: warning: .*'toulouse'" "$err"

# People read it, too.
accepts plan broadcast star.json --algorithm ecef
holds 'the summary tells the makespan' grep -q 'makespan 2.25 s' "$out"
holds 'and the transfers' grep -Eq 'a +b .* 1\.2500' "$out"
accepts plan broadcast "$networks/sites.json" --bytes 64KiB --timeline plan.svg
holds 'the picture is well-formed' python3 -c 'import xml.dom.minidom as m; m.parse("plan.svg")'
accepts plan broadcast "$networks/sites.json" --bytes 64KiB --ranks --timeline ranks.svg
holds 'the picture of ranks has every rank' bash -c \
    'for n in n-0.north n-2.north old-2 new-0 alone-0; do grep -q "$n" ranks.svg || exit 1; done'

accepts compare broadcast "$networks/sites.json" --bytes 64KiB --json
json_holds 'a comparison has the contract'"'"'s fields' \
    'd["format"] == "espalier-comparison" and all({"algorithm", "makespan", "optimal", "plan_s"} <= set(r) for r in d["results"])' "$out"
json_holds 'it is sorted' '[r["makespan"] for r in d["results"]] == sorted(r["makespan"] for r in d["results"])' "$out"
json_holds 'its bound holds for all' 'all(r["makespan"] >= d["lower_bound"] for r in d["results"])' "$out"
json_holds 'it has every algorithm' \
    '{r["algorithm"] for r in d["results"]} >= set("'"auto $(names grid grid) striped packed"'".split())' "$out"
json_holds 'nothing beats auto by much' 'min(r["makespan"] for r in d["results"]) >= 0.999 * [r["makespan"] for r in d["results"] if r["algorithm"] == "auto"][0]' "$out"
accepts compare broadcast "$networks/sites.json" --bytes 64KiB
holds 'a comparison is a table' grep -Eq '^  ecef-la +[0-9.]+ +[0-9.]+%' "$out"

# Changed plans: one line, status 3.
planned "$networks/sites.json" --bytes 64KiB --algorithm ecef
cp plan.json good.json
# tampered PATTERN PYTHON: changes good.json; check must find it invalid.
tampered() {
    python3 -c 'import json, sys
d = json.load(open("good.json"))
exec(sys.argv[1])
json.dump(d, open("bad.json", "w"))' "$2"
    rejects 3 "bad.json: .*$1" check bad.json --network "$networks/sites.json"
}
tampered 'makespan' 'd["makespan"] /= 2'
tampered "alone|south|north" 'd["transfers"].pop()'
tampered 'transfer 0 .chunk 0, .*takes' 'd["transfers"][0]["end"] = d["transfers"][0]["start"] + 1e-6'
tampered 'transfer' 't = d["transfers"][-1]; t["end"] -= 0.001'
tampered 'transfer|north' 'd["transfers"][0]["from"], d["transfers"][0]["to"] = d["transfers"][0]["to"], d["transfers"][0]["from"]'
tampered 'north|nodes inside|local' 'd["local"] = [p for p in d["local"] if p["node"] != "north"]'
tampered 'transfer' 'd["transfers"][0]["op"] = "combine"'
tampered 'duplex|ports' 'd["ports"] = "half-duplex"'
tampered 'chunk|bytes|holds' 'd["chunks"][0]["bytes"] = 1; d["transfers"][0]["end"] = 0.01'
run check bad.json --network "$networks/sites.json" --json
json_holds 'a violation as a document' 'd["format"] == "espalier-check" and d["valid"] is False and "chunk" in d["violation"]' "$out"
holds 'and its status' test "$status" = 3

# What messages take of shared processors is told beside the makespan: eight messages to nine ranks.
sed 's/"latency_s":\[\[0\]\],/"message_s":1e-5,&/' "$networks/cluster.json" >shared.json
accepts plan broadcast shared.json --bytes 1 --algorithm flat --ranks -o shared-plan.json
holds 'a plan says what processors have to do' \
    grep -q '^messages take 80 us of processors that all nodes share: .* in all$' "$out"
accepts check shared-plan.json --network shared.json
holds 'so does a check' grep -q '^messages take 80 us of processors' "$out"
run check shared-plan.json --network shared.json --json
json_holds 'and its document' 'abs(d["processor_time"] - 8e-5) < 1e-12' "$out"

# Bad files and bad matches are bad input.
rejects 2 'star.json: format: ' check star.json --network star.json
rejects 2 'good.json: format: ' check good.json --network good.json
rejects 2 'good.json: nodes: ' check good.json --network star.json
rejects 2 'none.json: No such file' check none.json --network star.json
rejects 2 'network' check good.json
finish
