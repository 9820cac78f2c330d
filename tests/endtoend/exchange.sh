# Total exchanges from the command line: networks and sizes that are made or imported, plans of every
# algorithm, comparisons, and bad input.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1

names() {
    "$cli" algorithms --json | python3 -c 'import json, sys
print(*[a["name"] for a in json.load(sys.stdin)["algorithms"] if a["family"] == "exchange"])'
}
all=$(names)

# planned NETWORK OPTIONS...: plans into plan.json; what is written is valid, and has its makespan.
planned() {
    local network=$1
    shift
    accepts plan alltoall "$network" --time-limit 20ms "$@" -o plan.json --json
    holds "plan $* prints what it writes" cmp -s "$out" plan.json
    accepts check plan.json --network "$network" --json
    holds "plan $* was made for this network" test ! -s "$err"
    python3 - "$out" >"$err" <<'PYTHON' || complain "plan $network $*: $(tail -n 1 "$err")"
import json, sys
plan, check = json.load(open("plan.json")), json.load(open(sys.argv[1]))
assert plan["format"] == "espalier-schedule" and plan["version"] == 1, "format"
assert plan["collective"] == "alltoall" and plan["network"].startswith("sha256:"), "head"
assert 0 < plan["lower_bound"] <= plan["makespan"] * (1 + 1e-9), "bound"
assert check["valid"] and abs(check["stated_makespan"] / plan["makespan"] - 1) < 1e-12, "check"
assert abs(check["makespan"] / plan["makespan"] - 1) < 1e-9, "makespan is off"
PYTHON
    : >"$err"
}

# Five sites, and three hosts behind each of two links that they share.
gusto=$root/examples/gusto/network.json
cat >shared.json <<'NETWORK'
{"format":"espalier-network","version":1,"model":"grid",
 "clusters":[{"name":"west","size":3,"local":{"latency_s":1e-4,"gap_s":{"1":1e-5,"1000001":0.1}}},
             {"name":"east","size":3,"local":{"latency_s":1e-4,"gap_s":{"1":1e-5,"1000001":0.1}}}],
 "latency_s":[[0,0.02],[0.03,0]],"gap_s":[[0,{"1":1e-5,"1000001":0.1}],[{"1":1e-5,"1000001":0.1},0]],
 "shared":[{"name":"there","capacity_Bps":1e7,"pairs":[["west","east"]]},
           {"name":"back","capacity_Bps":1e7,"pairs":[["east","west"]]}]}
NETWORK
accepts generate sizes --pattern mixed --network "$gusto" --seed 2 -o mixed.csv
for algorithm in auto $all; do
    planned "$gusto" --bytes 1MB --algorithm "$algorithm"
    planned "$gusto" --sizes mixed.csv --algorithm "$algorithm"
    planned shared.json --bytes 100kB --algorithm "$algorithm"
done
planned "$networks/links.json" --bytes 64
planned "$gusto" --bytes 1MB --algorithm open-shop --ports 2

# Nine messages over each shared link, 0.01 s each, with the link's latency: no fewer.
accepts plan alltoall shared.json --bytes 100kB --json
json_holds 'the bound counts what is shared' 'd["lower_bound"] >= 9 * 0.01 + 0.03 - 1e-12' "$out"

# Side by side, by their makespan.
accepts compare alltoall "$gusto" --sizes mixed.csv --time-limit 50ms --json
json_holds 'every algorithm is there' \
    '{r["algorithm"] for r in d["results"]} >= set("auto '"$all"'".split()) - {"staged", "demands-first"}' "$out"
json_holds 'by their makespan' \
    '[r["makespan"] for r in d["results"]] == sorted(r["makespan"] for r in d["results"])' "$out"
json_holds 'none is under the bound' \
    'all(r["makespan"] >= d["lower_bound"] * (1 - 1e-9) for r in d["results"])' "$out"

# The order of names in a file of sizes is free; numbers alone come in the network's order.
printf ',IND,NCSA,AMES,ANL,USC-ISI\nIND,,5,,,\nNCSA,,,,,\nAMES,,,,7,\nANL,,,9,,\nUSC-ISI,,,,,\n' >named.csv
printf '0,7,0,0,0\n9,0,0,0,0\n0,0,0,0,5\n0,0,0,0,0\n0,0,0,0,0\n' >bare.csv
for file in named.csv bare.csv; do
    accepts plan alltoall "$gusto" --sizes $file --json
    json_holds "$file says who sends how much to whom" \
        '{(t["from"], t["to"], d["chunks"][t["chunk"]]["bytes"]) for t in d["transfers"]} == {("AMES", "ANL", 7), ("ANL", "AMES", 9), ("IND", "NCSA", 5)}' "$out"
done
printf '0,0\n0,0\n' >nothing.csv
accepts plan alltoall "$networks/links.json" --sizes nothing.csv --json
json_holds 'nothing to send takes no time' 'd["makespan"] == 0 and d["transfers"] == []' "$out"

# sizes TEXT: a file of sizes for the network of two hosts.
sizes() { printf '%b' "$1" >sizes.csv; }
two=$networks/links.json
sizes '0,1,2\n1,0,2\n1,2,0\n'
rejects 2 'sizes.csv: it is 3 x 3, and the network has 2 nodes' plan alltoall "$two" --sizes sizes.csv
sizes '0,1\n1,0\n1,1\n'
rejects 2 'sizes.csv: not square' plan alltoall "$two" --sizes sizes.csv
sizes '0,-1\n1,0\n'
rejects 2 'sizes.csv: line 1, column 2.*-1 is negative' plan alltoall "$two" --sizes sizes.csv
sizes '0,1\n1,3\n'
rejects 2 "sizes.csv: 'P2' has a message for itself" plan alltoall "$two" --sizes sizes.csv
sizes '0,1.5\n1,0\n'
rejects 2 'sizes.csv: .*1.5' plan alltoall "$two" --sizes sizes.csv
sizes '0,many\n1,0\n'
rejects 2 "sizes.csv: line 1, column 2.*'many' is not a number" plan alltoall "$two" --sizes sizes.csv
sizes '0,1e30\n1,0\n'
rejects 2 'sizes.csv: ' plan alltoall "$two" --sizes sizes.csv
sizes ',P1,P3\nP1,,1\nP3,1,\n'
rejects 2 "sizes.csv: the network's node 'P2' is missing" plan alltoall "$two" --sizes sizes.csv
sizes ',P1,P2\nP2,,1\nP1,1,\n'
rejects 2 'sizes.csv: line 2, column 1: ' plan alltoall "$two" --sizes sizes.csv
sizes ''
rejects 2 'sizes.csv: the file is empty' plan alltoall "$two" --sizes sizes.csv
rejects 2 'none.csv: No such file' plan alltoall "$two" --sizes none.csv
rejects 2 '\-\-bytes: needed' plan alltoall "$two"
sizes '0,1\n1,0\n'
rejects 2 '\-\-bytes: --sizes says' plan alltoall "$two" --sizes sizes.csv --bytes 1
rejects 2 '\-\-root: ' plan alltoall "$two" --bytes 1 --root P1
rejects 2 "\-\-algorithm: 'ecef' is none of auto, caterpillar" plan alltoall "$two" --bytes 1 --algorithm ecef
rejects 2 "pairwise.json: the cost from 'AMES' to 'USC' is not known" \
    plan alltoall "$networks/pairwise.json" --bytes 1
rejects 2 'model: .*sender network' plan alltoall "$networks/sender.json" --bytes 1

# A changed plan is found out.
accepts plan alltoall "$gusto" --bytes 1MB --algorithm caterpillar-barrier -o plan.json
for change in 'd["transfers"].pop()' 'd["transfers"][0]["to"] = "NCSA"' 'd["transfers"][0]["end"] /= 2' \
    'd["makespan"] /= 2' 'd["barriers"] = [1]'; do
    python3 -c 'import json, sys
d = json.load(open("plan.json"))
exec(sys.argv[1])
json.dump(d, open("changed.json", "w"))' "$change"
    rejects 3 'changed.json: ' check changed.json --network "$gusto"
done

# Random networks: symmetric unless told otherwise, one of each seed, in the ranges.
accepts generate gusto --nodes 7 --seed 5 -o a.json
accepts generate gusto --nodes 7 --seed 5 --symmetric -o b.json
accepts generate gusto --nodes 7 --seed 6 -o c.json
holds 'one seed, one network' cmp -s a.json b.json
holds 'another seed, another network' test "$(cmp a.json c.json)"
cells='[c for r in d["startup_s"] for c in r if c]'
json_holds 'start-ups are those of Table 1' "len($cells) == 42 and 0.0045 <= min($cells) and max($cells) <= 0.0895" a.json
json_holds 'a pair has one' 'all(d["bandwidth_Bps"][i][j] == d["bandwidth_Bps"][j][i] for i in range(7) for j in range(7) if i != j)' a.json
accepts generate gusto --nodes 7 --asymmetric --draw log --startup 1ms --bandwidth 1Mbps..1Gbps -o d.json
json_holds 'a pair has two' 'all(d["bandwidth_Bps"][i][j] != d["bandwidth_Bps"][j][i] for i in range(7) for j in range(i))' d.json
json_holds 'start-ups are as told' 'all(abs(c - 0.001) < 1e-12 for r in d["startup_s"] for c in r if c)' d.json
planned d.json --bytes 10kB
accepts generate sizes --nodes 10 --pattern servers --small 1kB --large 1MB --servers 20% --seed 3 -o servers.csv
holds 'two of ten serve the other eight' test "$(grep -o 1000000 servers.csv | wc -l)" = 16
accepts generate gusto --nodes 10 -o ten.json
planned ten.json --sizes servers.csv
rejects 2 '\-\-startup: ' generate gusto --startup soon
rejects 2 'startup' generate gusto --startup 2ms..1ms
rejects 2 "\-\-bandwidth: '10' is not a rate" generate gusto --bandwidth 10
rejects 2 'bandwidth' generate gusto --bandwidth 0bps..1Mbps
rejects 2 '\-\-draw: ' generate gusto --draw straws
rejects 2 '\-\-asymmetric: ' generate gusto --symmetric --asymmetric
rejects 2 '\-\-nodes: ' generate gusto --nodes 0
rejects 2 '\-\-latency: it is for generate grid, not gusto' generate gusto --latency 1ms
rejects 2 '\-\-pattern: needed' generate sizes
rejects 2 "\-\-pattern: 'odd' is not" generate sizes --pattern odd
rejects 2 'servers' generate sizes --pattern servers --servers 120%
rejects 2 'small' generate sizes --pattern mixed --small 2kB --large 1kB
rejects 2 '\-\-json: ' generate sizes --pattern mixed --json
rejects 2 'none.json: No such file' generate sizes --pattern mixed --network none.json
rejects 2 'gust: ' generate gust

# Matrices that were measured: round trips and bits per second, in any order, with holes.
printf ',a,b,c\na,0,10,20\nb,12,0,\nc,30,8,0\n' >rtt.csv
printf ',c,a,b\nc,0,8000,16000\na,800,0,80\nb,0,4000,0\n' >bandwidth.csv
accepts convert rtt.csv --rtt --unit ms --bandwidth bandwidth.csv --bandwidth-unit bps -o made.json
json_holds 'half a round trip is a start-up' \
    'd["startup_s"][0][1:] == [0.005, 0.01] and d["startup_s"][1][0] == 0.006 and d["startup_s"][1][2] is None' made.json
json_holds 'bits become bytes, whoever comes first' \
    'd["bandwidth_Bps"][0][1:] == [10, 100] and d["bandwidth_Bps"][2][:2] == [1000, 2000]' made.json
json_holds 'a hole stays one' 'd["bandwidth_Bps"][1] in ([0, 500, None], [500, 0, None], [500, None, None])' made.json
rejects 2 "made.json: the cost from 'b' to 'c' is not known" plan alltoall made.json --bytes 10
accepts convert rtt.csv --unit ms --bandwidth bandwidth.csv --bandwidth-unit kBps -o made.json
json_holds 'units are as told' 'd["startup_s"][0][1] == 0.01 and d["bandwidth_Bps"][0][1] == 80000' made.json
rejects 2 '\-\-bandwidth-unit: ' convert rtt.csv --bandwidth bandwidth.csv --bandwidth-unit furlongs
rejects 2 '\-\-bandwidth-unit: there is no' convert rtt.csv --bandwidth-unit bps
rejects 2 '\-\-bandwidth: .*no CSV' convert made.json --bandwidth bandwidth.csv
rejects 2 '\-\-rtt: .*no CSV' convert made.json --rtt
printf '0,1\n1,0\n' >short.csv
rejects 2 'short.csv: it is 2 x 2, and the network has 3 nodes' convert rtt.csv --bandwidth short.csv
printf ',a,b,x\na,,1,1\nb,1,,1\nx,1,1,\n' >other.csv
rejects 2 "other.csv: the network's node 'c' is missing" convert rtt.csv --bandwidth other.csv
printf ',a,b,c\na,,1,-1\nb,1,,1\nc,1,1,\n' >minus.csv
rejects 2 'minus.csv: .*-1 is negative' convert rtt.csv --bandwidth minus.csv

finish
