# Broadcasts and reductions between senders, and their certificates, from the command line.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1

# senders FILE TIME...: one node for each time.
senders() {
    local file=$1
    shift
    python3 - "$file" "$@" <<'PYTHON'
import json, sys
json.dump({"format": "espalier-network", "version": 1, "model": "sender", "time_unit": "ms",
           "nodes": [{"name": "n%d" % i, "transmission_time": float(t)}
                     for i, t in enumerate(sys.argv[2:])]}, open(sys.argv[1], "w"))
PYTHON
}

names() {
    "$cli" algorithms --json | python3 -c 'import json, sys
print(*[a["name"] for a in json.load(sys.stdin)["algorithms"]
        if a["family"] == "sender" and sys.argv[1] in a["collectives"]])' "$1"
}

# planned COLLECTIVE NETWORK OPTIONS...: what is written is valid and has its makespan.
planned() {
    accepts plan "$@" -o plan.json
    accepts check plan.json --network "$2" --json
    json_holds "plan $* is valid as it says" \
        'd["valid"] and abs(d["makespan"] / d["stated_makespan"] - 1) < 1e-9' "$out"
    json_holds "the bound of plan $* holds" \
        '0 < d["lower_bound"] <= d["makespan"] and d["bound_scope"] == "whole-message"' plan.json
}

# Two fast and five slow: fastest first from a slow root takes 9 where 8 is enough.
senders seven.json 2 2 3 3 3 3 3
for collective in broadcast reduce; do
    for algorithm in auto $(names $collective); do
        planned $collective seven.json --algorithm "$algorithm"
        planned $collective seven.json --algorithm "$algorithm" --root n4
        planned $collective seven.json --algorithm "$algorithm" --ports 3
    done
done
accepts plan broadcast seven.json --root n4 --algorithm fnf --json
json_holds 'fastest first needs 9' 'd["makespan"] == 9 and not d["optimal"]' "$out"
accepts plan broadcast seven.json --root n4 --json
json_holds 'the best needs 8' 'd["makespan"] == 8 and d["optimal"] and d["root"] == "n4"' "$out"
accepts plan reduce seven.json --json
json_holds 'a reduction ends in a slowest node' 'd["root"] in ("n2", "n3", "n4", "n5", "n6")' "$out"
accepts plan reduce seven.json
holds 'times are in the unit of the network' grep -Eq 'makespan [0-9.]+ ms, proven optimal$' "$out"
accepts plan broadcast seven.json --algorithm paper-search --without bound --without exchange
holds 'the search says what it examined' grep -q 'examined' "$out"
accepts plan broadcast seven.json --timeline seven.svg
holds 'the picture is in the unit of the network' grep -q '>makespan 7 ms<' seven.svg

# Certificates: proven, and not proven where it is changed.
senders five.json 1 1.5 2.25 4 4.5
cp five.json proven.json
for collective in broadcast reduce; do
    accepts plan $collective five.json -o plan.json --certificate proof.json
    accepts check plan.json --network five.json --certificate proof.json
    holds 'the proof is told' grep -Eq 'no schedule ends before .*; this one ends at .*: optimal' "$out"
    accepts check plan.json --network five.json --certificate proof.json --json
    json_holds 'the proof as a document' 'd["optimal"] and d["proven_lower_bound"] == d["makespan"]' "$out"
    accepts plan $collective five.json --algorithm "$([[ $collective = broadcast ]] && echo fnf || echo snf)" -o greedy.json
    accepts check greedy.json --network five.json --certificate proof.json
    # claimed NAME STATEMENT: a changed certificate is found out.
    for change in 'd["deadline"] *= 2; d["lower_bound"] *= 2' 'd["deadline"] += 1; d["lower_bound"] += 1' \
        'd["classes"][-1]["time"] *= 2' 'd["classes"][0]["count"] += 1' \
        'd["collective"] = "reduce" if d["collective"] == "broadcast" else "broadcast"' \
        'd["root"] = "n1"' 'd["ports"] = 2' 'd["tick"] *= 3'; do
        python3 -c 'import json, sys
d = json.load(open("proof.json"))
exec(sys.argv[1])
json.dump(d, open("claim.json", "w"))' "$change"
        rejects 3 'claim.json: ' check plan.json --network five.json --certificate claim.json
    done
done
rejects 2 'five.json: format: ' check plan.json --network five.json --certificate five.json
head -c 60 proof.json >cut.json
rejects 2 'cut.json: line' check plan.json --network five.json --certificate cut.json
rejects 2 'none.json: No such file' check plan.json --network five.json --certificate none.json
rejects 2 '\-\-certificate: ' plan broadcast seven.json --root n4 --algorithm fnf --certificate none.json
rejects 2 '\-\-certificate: ' plan broadcast "$networks/grid.json" --bytes 1KiB --algorithm flat --certificate none.json

# Classes are planned without their nodes.
accepts plan broadcast "$networks/classes.json"
holds 'waves of nodes' grep -Eq '^ +[0-9.]+ s +[0-9]+ +(old|new) +[13] s' "$out"
cat >million.json <<'NETWORK'
{"format":"espalier-network","version":1,"model":"sender","classes":[
 {"name":"a","transmission_time":1,"count":300000000},{"name":"b","transmission_time":2,"count":1},
 {"name":"c","transmission_time":2.5,"count":700000000}]}
NETWORK
for collective in broadcast reduce; do
    (
        # A sanitizer's shadow needs address space of its own.
        [[ -n ${ESPALIER_SANITIZE:-} ]] || ulimit -v 300000
        failures=0
        accepts plan $collective million.json --time-limit 2s
        holds 'a thousand million nodes' grep -q '1000000001 nodes' "$out"
        finish >/dev/null
    ) || complain "plan $collective of a thousand million nodes"
done

# Bad input, and what only looks like it.
for time in 0 -1 '"fast"' null 1e999; do
    printf '{"format":"espalier-network","version":1,"model":"sender","nodes":[{"name":"a","transmission_time":%s}]}' \
        "$time" >bad.json
    rejects 2 'bad.json: .*(transmission_time|line)' plan broadcast bad.json
done
senders one.json 4
for collective in broadcast reduce; do
    accepts plan $collective one.json --json
    json_holds 'one node has nothing to do' 'd["makespan"] == 0 and d["transfers"] == [] and d["optimal"]' "$out"
    accepts compare $collective one.json
done
for times in '0.001 1e16' '1e-300 1e-299' '1 1e300'; do
    # shellcheck disable=SC2086
    senders bad.json $times
    rejects 2 'bad.json: transmission_time: ' plan broadcast bad.json
    rejects 2 'bad.json: transmission_time: ' plan reduce bad.json --algorithm snf
done
# What a file claims of its bounds has to fit its makespan.
senders three.json 2 3 5
accepts plan broadcast three.json -o plan.json
sed 's/"lower_bound": [0-9.]*/"lower_bound": 1/' plan.json >claim.json
rejects 3 'called optimal' check claim.json --network three.json
senders two.json 4 1e12
planned broadcast two.json
planned reduce two.json
senders wide.json 1e-6 3e-6 1e6 7e5 2
for collective in broadcast reduce; do
    for algorithm in auto $(names $collective); do
        planned $collective wide.json --algorithm "$algorithm"
    done
done
accepts generate sender --nodes 3000 --classes 2000 --seed 4 -o many.json
planned broadcast many.json --time-limit 0
planned reduce many.json --time-limit 0
planned broadcast seven.json --time-limit 0
rejects 2 "\-\-root: many.json has no node named 'c0-0-0'" plan broadcast many.json --root c0-0-0
for option in '--bytes 1' '--segment none' '--local auto' '--ranks'; do
    read -ra words <<<"$option"
    rejects 2 "${words[0]}: .*sender" plan broadcast seven.json "${words[@]}"
done
rejects 2 '\-\-ports: ' plan broadcast seven.json --ports 0
rejects 2 '\-\-ports: ' plan broadcast seven.json --ports many
rejects 2 '\-\-time-limit: ' plan broadcast seven.json --time-limit -1
rejects 2 "\-\-algorithm: 'ecef' is none of auto, fnf" plan broadcast seven.json --algorithm ecef
rejects 2 "\-\-algorithm: 'snf' is none of auto, fnf" plan broadcast seven.json --algorithm snf
rejects 2 "\-\-without: 'magic' is none of" plan broadcast seven.json --algorithm paper-search --without magic
rejects 2 '\-\-without: ' plan broadcast seven.json --algorithm fnf --without bound
rejects 2 '\-\-classes: ' generate sender --distinct --classes 3
rejects 2 'classes' generate sender --nodes 2 --classes 3
rejects 2 'times' generate sender --times 0..3
rejects 2 'times' generate sender --times 1..3 --integer --classes 4

# Side by side, with how far it is only where that is wanted.
accepts compare broadcast seven.json --root n4 --json
json_holds 'every algorithm is there' \
    '{r["algorithm"] for r in d["results"]} == set("'"auto $(names broadcast)"'".split())' "$out"
json_holds 'by their makespan' '[r["makespan"] for r in d["results"]] == sorted(r["makespan"] for r in d["results"])' "$out"
run compare broadcast seven.json --progress --json
holds 'progress is on standard error' grep -q '1/.* auto' "$err"
json_holds 'and not in the result' 'd["format"] == "espalier-comparison"' "$out"

finish
