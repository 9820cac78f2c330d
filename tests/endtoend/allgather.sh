# All-gathers from the command line: plans of every algorithm on every model, comparisons, bad input.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1

# planned NETWORK OPTIONS...: plans into plan.json; what is written is valid, and has its makespan.
planned() {
    local network=$1
    shift
    accepts plan allgather "$network" --time-limit 50ms "$@" -o plan.json --json
    holds "plan $* prints what it writes" cmp -s "$out" plan.json
    accepts check plan.json --network "$network" --json
    holds "plan $* was made for this network" test ! -s "$err"
    json_holds "$network $*: valid, and as long as it says" \
        'd["valid"] and abs(d["makespan"] / d["stated_makespan"] - 1) < 1e-9' "$out"
    json_holds "$network $*: a ring, unless something else is faster" \
        'd["collective"] == "allgather" and (not d["algorithm"].startswith("ring") or len(d["transfers"]) == len(d["nodes"]) * (len(d["nodes"]) - 1))' plan.json
    json_holds "$network $*: no faster than its bound" '0 < d["lower_bound"] <= d["makespan"] * (1 + 1e-9)' plan.json
}

gusto=$root/examples/gusto/network.json
# Three hosts behind each of two links, of which one is slow.
cat >shared.json <<'NETWORK'
{"format":"espalier-network","version":1,"model":"grid",
 "clusters":[{"name":"west","size":3,"local":{"latency_s":1e-4,"gap_s":{"1":1e-5,"1000001":0.1}}},
             {"name":"east","size":3,"local":{"latency_s":1e-4,"gap_s":{"1":1e-5,"1000001":0.1}}}],
 "latency_s":[[0,0.02],[0.03,0]],"gap_s":[[0,{"1":1e-5,"1000001":0.1}],[{"1":1e-5,"1000001":0.1},0]],
 "shared":[{"name":"there","capacity_Bps":1e7,"pairs":[["west","east"]]},
           {"name":"back","capacity_Bps":5e6,"pairs":[["east","west"]]}]}
NETWORK
for algorithm in auto ring ring-sum ring-rank-order; do
    planned "$gusto" --bytes 1MB --algorithm "$algorithm"
    planned shared.json --bytes 100kB --algorithm "$algorithm"
    planned "$networks/links.json" --bytes 64 --algorithm "$algorithm"
done

# Three blocks have to cross each link: the slow one takes 20 ms for each.
accepts plan allgather shared.json --bytes 100kB --algorithm ring --json
json_holds 'the bound counts what is shared' 'd["lower_bound"] >= 3 * 0.02 - 1e-12' "$out"
accepts plan allgather shared.json --bytes 100kB --algorithm ring
holds 'it says what the slowest step is' grep -q 'slowest step 20 ms, the fastest of all rings' "$out"
holds 'and the ring' grep -q '^ring: ' "$out"

accepts compare allgather "$gusto" --bytes 1MB --time-limit 50ms --json
json_holds 'every algorithm is there, by makespan' \
    '{r["algorithm"] for r in d["results"]} >= {"auto", "ring", "ring-sum", "ring-rank-order"} and [r["makespan"] for r in d["results"]] == sorted(r["makespan"] for r in d["results"])' "$out"

rejects 2 '\-\-algorithm: ' plan allgather "$gusto" --bytes 1MB --algorithm greedy
rejects 2 '\-\-bytes: ' plan allgather "$gusto"
rejects 2 '\-\-root: ' plan allgather "$gusto" --bytes 1MB --root AMES
rejects 2 '\-\-segment: ' plan allgather "$gusto" --bytes 1MB --segment 64KiB
rejects 2 'x.csv: No such file' plan allgather "$gusto" --sizes x.csv
rejects 2 '\-\-critical: ' plan allgather "$gusto" --bytes 1MB --critical AMES

finish
