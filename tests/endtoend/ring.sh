# Rings from the command line: planned by every algorithm, checked, drawn, compiled to a schedule; and
# bad input.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1

names() {
    "$cli" algorithms --json | python3 -c 'import json, sys
print(*[a["name"] for a in json.load(sys.stdin)["algorithms"] if a["family"] == "ring"])'
}
all=$(names)
holds 'there are ring planners' test -n "$all"

# planned NETWORK OPTIONS...: plans ring.json for W = 1, H = 0.1; what is written is as the contract
# says, and valid.
planned() {
    local network=$1
    shift
    accepts ring "$network" --work 1 --exchange "${exchange:-0.1}" --time-limit "${limit:-200ms}" "$@" -o ring.json --json
    holds "ring $* prints what it writes" cmp -s "$out" ring.json
    accepts check ring.json --network "$network" --json
    holds "ring $* was made for this network" test ! -s "$err"
    python3 - "$out" >"$err" <<'PYTHON' || complain "ring $network $*: $(tail -n 1 "$err")"
import json, sys
ring, check = json.load(open("ring.json")), json.load(open(sys.argv[1]))
hosts = ring["ring"]
assert ring["format"] == "espalier-ring" and ring["version"] == 1, "format"
assert set(ring["shares"]) == set(hosts) and abs(sum(ring["shares"].values()) - 1) < 1e-9, "shares"
assert len(ring["paths"]) == (2 * len(hosts) if len(hosts) > 1 else 0), "paths"
assert 0 < ring["lower_bound"] <= ring["step_time"] * (1 + 1e-12), "bound"
assert check["valid"] and abs(check["step_time"] / ring["step_time"] - 1) < 1e-9, "step time"
PYTHON
    : >"$err"
}

accepts generate tiers --hosts 6 --seed 3 -o six.json
for algorithm in $all; do
    planned six.json --algorithm "$algorithm"
    # Far from done: at once all the same.
    limit=0 planned six.json --algorithm "$algorithm"
done
for refine in none max-min nonlinear; do
    planned six.json --algorithm greedy --refine $refine
done
for paths in widest shortest all; do
    planned six.json --paths $paths
done
planned six.json --sharing fair
planned six.json --sharing fair --algorithm greedy
accepts generate tiers --hosts 12 --seed 3 -o twelve.json
planned twelve.json --seed 7

# Growing draws nothing; only the bound gets better with time.
planned six.json --algorithm greedy
mv ring.json first.json
planned six.json --algorithm greedy
json_holds 'the same ring again' \
    'all(d[k] == json.load(open("first.json"))[k] for k in ("ring", "shares", "paths"))' ring.json

# What a person reads.
accepts ring six.json --work 1 --exchange 0.1 --time-limit 200ms --algorithm greedy
for words in 'Ring of . of 6 hosts, by greedy' 'step time .* over the best possible|proven optimal' \
    'place +host +share' 'most used link'; do
    holds "the table says $words" grep -Eq "$words" "$out"
done
accepts check first.json --network six.json
holds 'check says what it found' grep -q '^valid: Ring of' "$out"

# A picture that is XML, with names that are markup.
sed 's/"h0"/"<h\&0>"/g' six.json >named.json
accepts ring named.json --work 1 --exchange 0.001 --algorithm greedy --picture picture.svg
python3 - <<'PYTHON' || complain 'the picture can not be read'
import xml.etree.ElementTree as tree
root = tree.parse("picture.svg").getroot()
svg = "{http://www.w3.org/2000/svg}"
assert root.tag == svg + "svg"
names = [text.text for text in root.iter(svg + "text")]
assert "<h&0>" in names, names
PYTHON

accepts ring named.json --work 1 --exchange 0.001 --algorithm greedy -o ring.json --picture picture.svg
accepts report ring.json --network named.json -o again.svg
holds 'a ring file is drawn like the ring' cmp -s picture.svg again.svg
rejects 2 '\-\-network: needed' report ring.json -o x.svg
rejects 2 'x.json: a ring is drawn as .svg or .html' report ring.json --network named.json -o x.json
rejects 3 'ring.json: ring\[' report ring.json --network "$networks/links.json" -o x.svg

# The messages of a step as a schedule.
accepts generate tiers --hosts 6 --seed 3 --latencies --bandwidth-factor 125000 -o bytes.json
for sharing in reserved fair; do
    accepts ring bytes.json --work 1 --exchange 64KiB --algorithm greedy --sharing $sharing \
        --schedule messages.json -o ring.json
    accepts check messages.json --network bytes.json --json
    json_holds 'the exchange of a step is valid' 'd["valid"]' "$out"
    json_holds 'each host sends to its neighbours' \
        'sorted(sum((int(c) for c in r)) for r in d.get("sizes", [])) == sorted([131072 if n in json.load(open("ring.json"))["ring"] else 0 for n in d["nodes"]])' \
        messages.json
done

# Other models: with cycle times, and as the links that they stand for.
cat >pairs.json <<'NETWORK'
{"format":"espalier-network","version":1,"model":"pairwise",
 "nodes":[{"name":"a","cycle_time":1},{"name":"b","cycle_time":2},{"name":"c","cycle_time":1}],
 "startup_s":[[0,0.01,0.01],[0.01,0,0.01],[0.01,0.01,0]],"bandwidth_Bps":[[0,9,9],[9,0,9],[9,9,0]]}
NETWORK
planned pairs.json
cat >sites.json <<'NETWORK'
{"format":"espalier-network","version":1,"model":"grid",
 "clusters":[{"name":"west","size":3,"cycle_times":[1,1,1],"local":{"latency_s":0.001,"gap_s":0.002}},
             {"name":"east","size":2,"cycle_times":[2,2],"local":{"latency_s":0.001,"gap_s":0.002}}],
 "latency_s":[[0,0.02],[0.02,0]],"gap_s":[[0,0.03],[0.03,0]]}
NETWORK
exchange=100 planned sites.json
rejects 2 'sites.json: .*whole bytes' ring sites.json --work 1 --exchange 0.5
rejects 2 'sender.json: model: ' ring "$networks/sender.json" --work 1 --exchange 1
rejects 2 'pairwise.json: .*(cost|host|cycle)' ring "$networks/pairwise.json" --work 1 --exchange 1

# One host works alone.
links() {
    printf '{"format":"espalier-network","version":1,"model":"links","nodes":[%s],"links":[%s]}' "$1" "$2"
}
links '{"name":"x","cycle_time":4},{"name":"r"}' '{"name":"l","from":"x","to":"r","bandwidth":1,"latency":0,"kind":"bidirectional"}' >one.json
for algorithm in $all; do
    planned one.json --algorithm "$algorithm"
    json_holds 'a ring of one takes W w' 'd["ring"] == ["x"] and d["step_time"] == 4 and d["optimal"] and d["paths"] == []' ring.json
done
accepts ring one.json --work 2 --exchange 1 --picture alone.svg
accepts ring one.json --work 2 --exchange 1 --sharing fair

# Two hosts, four paths.
two='{"name":"x","cycle_time":1},{"name":"y","cycle_time":1},{"name":"r"}'
way='{"name":"l","from":"x","to":"r","bandwidth":100,"latency":0,"kind":"bidirectional"}'
links "$two" "$way,{\"name\":\"m\",\"from\":\"r\",\"to\":\"y\",\"bandwidth\":100,\"latency\":0,\"kind\":\"bidirectional\"}" >two.json
planned two.json
json_holds 'both work' 'len(d["ring"]) == 2 and len(d["paths"]) == 4 and abs(d["step_time"] - (0.5 + 2 * 0.1 / 25)) < 1e-7' ring.json

# Bad input.
links "$two" "$way" >apart.json
rejects 2 "apart.json: .*no path leads from 'x' to 'y'" ring apart.json --work 1 --exchange 1
links "$two" "$way,{\"name\":\"m\",\"from\":\"r\",\"to\":\"y\",\"bandwidth\":1,\"latency\":0,\"kind\":\"directed\"}" >oneway.json
rejects 2 "oneway.json: .*no path leads from 'y' to 'x'" ring oneway.json --work 1 --exchange 1
links "$two" "$way,{\"name\":\"m\",\"from\":\"r\",\"to\":\"y\",\"bandwidth\":0,\"latency\":0,\"kind\":\"directed\"}" >narrow.json
rejects 2 'narrow.json: links\[1\].bandwidth: ' ring narrow.json --work 1 --exchange 1
links '{"name":"x","cycle_time":0},{"name":"r"}' "$way" >idle.json
rejects 2 'idle.json: nodes\[0\].cycle_time: ' ring idle.json --work 1 --exchange 1
links '{"name":"x"},{"name":"r"}' "$way" >routers.json
rejects 2 'routers.json: nodes: no host' ring routers.json --work 1 --exchange 1
for value in 0 -1 nan inf 1e999 much ''; do
    rejects 2 '\-\-work' ring six.json --work "$value" --exchange 1
    rejects 2 '\-\-exchange' ring six.json --work 1 --exchange "$value"
done
rejects 2 '\-\-exchange' ring six.json --work 1 --exchange 0KiB
rejects 2 '\-\-work: .*64KiB' ring six.json --work 64KiB --exchange 1
rejects 2 '\-\-exchange is required' ring six.json --work 1
rejects 2 '\-\-work is required' ring six.json --exchange 1
rejects 2 "\-\-algorithm: 'ecef' is none of .*greedy" ring six.json --work 1 --exchange 1 --algorithm ecef
rejects 2 "\-\-picture: 'ring.png' is no .svg" ring six.json --work 1 --exchange 1 --picture ring.png
rejects 2 'six.json: .*too far apart' ring six.json --work 1e200 --exchange 1e-200
rejects 2 '\-\-refine: annealing grows no ring' ring six.json --work 1 --exchange 1 --algorithm annealing --refine max-min
rejects 2 "\-\-refine: 'fine' is none of none, max-min, nonlinear" ring six.json --work 1 --exchange 1 --refine fine
rejects 2 "\-\-paths: 'long' is none of widest, shortest, all" ring six.json --work 1 --exchange 1 --paths long
rejects 2 "\-\-sharing: 'unfair' is none of reserved, fair" ring six.json --work 1 --exchange 1 --sharing unfair
rejects 2 '\-\-paths: .*own paths' ring six.json --work 1 --exchange 1 --sharing fair --paths all
rejects 2 '\-\-time-limit: ' ring six.json --work 1 --exchange 1 --time-limit soon
rejects 2 '\-\-seed: ' ring six.json --work 1 --exchange 1 --seed -1
rejects 2 'none.json: No such file' ring none.json --work 1 --exchange 1
rejects 2 'x.json: .*two things' ring six.json --work 1 --exchange 1 -o x.json --schedule x.json
rejects 2 'no-folder/x.svg: ' ring six.json --work 1 --exchange 1 --picture no-folder/x.svg
rejects 2 'six.json: .*whole bytes' ring six.json --work 1 --exchange 0.5 --algorithm greedy --schedule s.json

# A file with what the contract asks for and no more; then what is wrong with it.
planned two.json --algorithm greedy
python3 -c 'import json
d = json.load(open("ring.json"))
keep = ["format", "version", "step_time", "lower_bound", "optimal", "ring", "shares", "paths"]
json.dump({k: d[k] for k in keep}, open("bare.json", "w"))'
accepts check bare.json --network two.json --work 1 --exchange 0.1
rejects 2 '\-\-work: needed' check bare.json --network two.json --exchange 0.1
rejects 2 '\-\-exchange: needed' check bare.json --network two.json --work 1
rejects 2 '\-\-work: ring.json says 1' check ring.json --network two.json --work 2
rejects 2 '\-\-certificate: ' check ring.json --network two.json --certificate bare.json
rejects 3 'bare.json: step_time: ' check bare.json --network two.json --work 2 --exchange 0.1

# changed PATTERN CHANGE [STATUS]: the ring after a change of d is found out.
changed() {
    python3 -c 'import json, sys
d = json.load(open("ring.json"))
exec(sys.argv[1])
json.dump(d, open("changed.json", "w"))' "$2"
    rejects "${3:-3}" "changed.json: $1" check changed.json --network two.json
}
changed "ring\[1\]: .*no host 'z'" 'd["ring"][1] = "z"'
changed "ring\[1\]: 'r' is a router" 'd["ring"][1] = "r"'
changed 'ring\[1\]: .*twice' 'd["ring"][1] = d["ring"][0]'
changed 'shares: they sum to 1.1' 'd["shares"]["x"] += 0.1'
changed "shares: 'x' has none" 'd["shares"].pop("x")'
changed 'shares.x: -1 is negative' 'd["shares"]["x"] = -1' 2
changed "shares.r: 'r' is not in the ring" 'd["shares"]["r"] = 0'
changed 'paths: .* has none' 'd["paths"].pop()'
changed "the path from .*no link 'q'" 'd["paths"][0]["links"] = ["q"]'
changed "the path from .*ends at 'r'" 'd["paths"][0]["links"].pop()'
changed "link '[lm]': paths take" 'd["paths"][0]["bandwidth"] *= 3'
changed 'step_time: ' 'd["step_time"] *= 0.99'
changed 'lower_bound: ' 'd["lower_bound"] = 2 * d["step_time"]'
changed 'extra: unknown field' 'd["extra"] = 1' 2
changed 'version: ' 'd["version"] = 2' 2
rejects 2 'six.json: format: ' check six.json --network two.json

finish
