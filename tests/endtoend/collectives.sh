# Every collective from the command line: planned, compared, checked; bad input.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1

kinds='allreduce scatter gather allgather reduce-scatter alltoall barrier scan exscan'

# bytes_of KIND SIZE: the option that says it, where there is something to say.
bytes_of() {
    [[ $1 == barrier ]] || printf -- '--bytes %s' "$2"
}

# planned KIND NETWORK OPTIONS...: plans into plan.json; what is written is valid, and takes as long
# as it says.
planned() {
    local kind=$1 network=$2
    shift 2
    accepts plan "$kind" "$network" --time-limit 50ms "$@" -o plan.json --json
    holds "plan $kind $* prints what it writes" cmp -s "$out" plan.json
    checked "$kind" "$network" "$@"
}
checked() {
    local kind=$1 network=$2
    accepts check plan.json --network "$network" --json
    json_holds "$*: valid, as long as it says, and no faster than its bound" \
        "d['valid'] and abs(d['makespan'] / d['stated_makespan'] - 1) < 1e-9 and (lambda p: p['collective'] == '$kind' and 0 < p['lower_bound'] <= p['makespan'] * (1 + 1e-9))(json.load(open('plan.json')))" "$out"
}

# planned_by ALGORITHM KIND NETWORK OPTIONS...: the same; an algorithm may say that it does not
# apply to such ranks.
planned_by() {
    local algorithm=$1
    shift
    run plan "$1" "$2" --time-limit 50ms "${@:3}" --algorithm "$algorithm" -o plan.json
    if ((status == 2)) && grep -q "'$algorithm' plans no .* among these ranks" "$err"; then
        holds "$* $algorithm: between clusters it does" test "$2" != "$networks/sites.json"
        return
    fi
    holds "plan $* --algorithm $algorithm" test "$status" = 0
    checked "$@" --algorithm "$algorithm"
}

# algorithms_for KIND MODEL: by the table.
"$cli" algorithms --json >table.json
algorithms_for() {
    json "' '.join(a['name'] for a in d['algorithms'] if '$1' in a['collectives'] and '$2' in a['models'] and a['family'] in ('composed', 'allgather'))" table.json
}

# The paper's grid of 88 nodes, whose plans are between nodes.
table4=$root/examples/table4/network.json
for kind in $kinds; do
    # shellcheck disable=SC2046 # an option and its value
    planned "$kind" "$table4" $(bytes_of "$kind" 1KiB)
    json_holds "$kind is planned between nodes" 'len(d["nodes"]) == 88 and "local" not in d' plan.json
done

# Every algorithm on every model: costs of pairs, sites of clusters, physical links.
for kind in $kinds; do
    for network in gusto sites links; do
        file=$networks/$network.json model=$network
        [[ $network == gusto ]] && file=$root/examples/gusto/network.json model=pairwise
        [[ $network == sites ]] && model=grid
        for algorithm in auto $(algorithms_for "$kind" "$model"); do
            # shellcheck disable=SC2046
            planned_by "$algorithm" "$kind" "$file" $(bytes_of "$kind" 64KiB)
        done
    done
done

# What is composed is a broadcast's and a reduction's plan, too, and every candidate is accounted for.
for kind in broadcast reduce; do
    planned "$kind" "$networks/sites.json" --bytes 64KiB --algorithm striped
    accepts plan "$kind" "$networks/sites.json" --bytes 64KiB --explain --json
    json_holds "$kind: the first candidate is the plan, and all others say why they lost" \
        'd["x-candidates"][0]["outcome"] == "the plan" and d["x-candidates"][0]["algorithm"] == d["algorithm"] and all(c["outcome"] for c in d["x-candidates"])' "$out"
    planned "$kind" "$networks/sites.json" --bytes 64KiB --algorithm striped --ranks
    planned "$kind" "$networks/sites.json" --bytes 1 --ranks
    planned "$kind" "$networks/links.json" --bytes 64
done

# Roots, blocks of each node's own size, segments, ports.
gusto=$root/examples/gusto/network.json
names=$(json '",".join(n["name"] for n in d["nodes"])' "$gusto")
for kind in scatter gather; do
    planned "$kind" "$gusto" --bytes 64KiB --root NCSA
    json_holds "$kind has the root asked for" 'd["root"] == "NCSA"' plan.json
done
printf '100,0,64KiB,7,1000\n' >row.csv
printf 'USC-ISI,NCSA,IND,ANL,AMES\n7,1000,64KiB,0,100\n' >named.csv
for kind in scatter gather allgather reduce-scatter; do
    for row in row.csv named.csv; do
        planned "$kind" "$gusto" --sizes "$row"
        json_holds "$kind $row: each node has its own block" \
            'd["blocks"] == [100, 0, 65536, 7, 1000] and d["bytes"] == 65536' plan.json
    done
    accepts compare "$kind" "$gusto" --sizes row.csv --time-limit 50ms --json
done
planned allreduce "$gusto" --bytes 1MB --segment 64KiB
planned allreduce "$gusto" --bytes 1MB --segment none --ports 2
json_holds 'ports are as asked for' 'd["ports"] == "2-port"' plan.json
accepts plan scan "$networks/sites.json" --bytes 1MB --timeline scan.svg
holds 'a scan is drawn' grep -q 'Scan of 1 MB, by ' scan.svg
accepts plan barrier "$networks/sites.json"
holds 'a barrier has no size' grep -q '^Barrier, by ' "$out"

# All that applies, side by side. Searches have a part of the time each where auto tries them all, so alone they may find a little
# more, and a search for the optimum more than that.
for kind in allreduce scatter alltoall barrier scan; do
    # shellcheck disable=SC2046
    accepts compare "$kind" "$networks/sites.json" $(bytes_of "$kind" 64KiB) --time-limit 1s --json
    json_holds "compare $kind: by makespan, auto among them, and none better by over 2%" \
        'min(r["makespan"] for r in d["results"] if r["algorithm"] != "optimal") * 1.02 >= [r for r in d["results"] if r["algorithm"] == "auto"][0]["makespan"] and [r["makespan"] for r in d["results"]] == sorted(r["makespan"] for r in d["results"])' "$out"
    cp "$out" comparison.json
    for algorithm in $(algorithms_for "$kind" grid); do
        json_holds "compare $kind has $algorithm" \
            "'$algorithm' in [r['algorithm'] for r in d['results'] + d.get('skipped', [])]" comparison.json
    done
done
accepts compare broadcast "$networks/sites.json" --bytes 64KiB --time-limit 50ms --ranks --json
json_holds 'between ranks a comparison has the composed ones' \
    '"striped" in [r["algorithm"] for r in d["results"]]' "$out"

# What a file says is checked: a scan in another order of ranks, a block that is lost, a time.
accepts plan scan "$gusto" --bytes 64KiB -o scan.json
python3 - <<'PYTHON'
import json
scan = json.load(open("scan.json"))
scan["nodes"].reverse()
json.dump(scan, open("reversed.json", "w"))
PYTHON
run check reversed.json --network "$gusto"
holds 'other nodes can not scan in these times' test "$status" = 3
accepts plan gather "$gusto" --sizes row.csv -o gather.json
python3 - <<'PYTHON'
import json
gather = json.load(open("gather.json"))
gather["transfers"].pop()
json.dump(gather, open("lost.json", "w"))
PYTHON
rejects 3 "lost.json: node '.*' ends without chunk" check lost.json --network "$gusto"

# Bad input.
rejects 2 '\-\-bytes: barrier carries no data' plan barrier "$gusto" --bytes 8
rejects 2 '\-\-segment: barrier carries no data' plan barrier "$gusto" --segment 8
rejects 2 '\-\-sizes: only for alltoall, scatter' plan scan "$gusto" --sizes row.csv
rejects 2 '\-\-bytes: needed' plan allreduce "$gusto"
rejects 2 '\-\-root: scan has no root' plan scan "$gusto" --bytes 8 --root NCSA
rejects 2 "\-\-root: .* has no cluster or node named 'paris'" plan gather "$gusto" --bytes 8 --root paris
rejects 2 "\-\-algorithm: 'magic' is none of auto, " plan allreduce "$gusto" --bytes 8 --algorithm magic
rejects 2 "\-\-algorithm: 'ecef' is none of auto, " plan scatter "$gusto" --bytes 8 --algorithm ecef
rejects 2 "'striped' plans no broadcast of this size" plan broadcast "$gusto" --bytes 8 --algorithm striped
rejects 2 '\-\-local: scatter is planned between all nodes' plan scatter "$gusto" --bytes 8 --local flat
rejects 2 '\-\-without: ' plan scatter "$gusto" --bytes 8 --without order
rejects 2 '\-\-segment: ' plan allreduce "$gusto" --bytes 8 --segment 0
rejects 2 '\-\-ports: ' plan allreduce "$gusto" --bytes 8 --ports 0
rejects 2 '\-\-deadlines: only for alltoall' plan scatter "$gusto" --bytes 8 --deadlines row.csv
rejects 2 '\-\-bytes: --sizes says already' plan scatter "$gusto" --bytes 8 --sizes row.csv
rejects 2 'none.csv: No such file' plan scatter "$gusto" --sizes none.csv
rejects 2 'sender.json: model: no algorithm plans any gather on a sender network' plan gather "$networks/sender.json" --bytes 8
rejects 2 'grid.json: .*the cost of messages inside every cluster' plan allreduce "$networks/grid.json" --bytes 8
printf '1,2,3\n' >short.csv
rejects 2 'short.csv: it has 3 sizes, and the network 5 nodes' plan scatter "$gusto" --sizes short.csv
printf '1,2,3,4,many\n' >many.csv
rejects 2 "many.csv: 'many' is not a size" plan scatter "$gusto" --sizes many.csv
printf '%s\n1,2,3,4,5\n6,7,8,9,10\n' "$names" >rows.csv
rejects 2 'rows.csv: it has 3 lines' plan scatter "$gusto" --sizes rows.csv
printf 'a,b,c,d,e\n1,2,3,4,5\n' >strange.csv
rejects 2 "strange.csv: the network's node '.*' is missing" plan scatter "$gusto" --sizes strange.csv
: >empty.csv
rejects 2 'empty.csv: it has 0 lines' plan scatter "$gusto" --sizes empty.csv

finish
